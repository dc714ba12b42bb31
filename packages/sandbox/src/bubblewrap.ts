// The command line of bubblewrap for a plan, the check that runs first inside, and the filter of system calls that the sandbox starts with.

import { readFileSync, statSync } from "node:fs";
import { isInside, isLinux, isProgram, realPathOf } from "@ikigai/system";
import { cacheMounts } from "./caches.ts";
import { type MountPlan, mountPlan } from "./mount-plan.ts";
import { filterFd, type SandboxPolicy, type SandboxPrefix } from "./place.ts";

/**
 * Searched for bwrap. `PATH` is not: started through a package manager it begins with a directory of the project, whose `bwrap`
 * would run without approval.
 */
const places = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/** Overrides the places. */
const placeVariable = "IKIGAI_BWRAP";

/**
 * Own namespaces except for the network, and no capabilities in them: nothing can be mounted or unmounted. The filter keeps a tool
 * from making another user namespace, in which it would have them. It has no terminal: the host starts it in its own session.
 */
const isolation = [
  "--unshare-user-try",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--cap-drop",
  "ALL",
  // The kernel kills the sandbox with the host, even if the watchdog is gone.
  "--die-with-parent",
];

/** Why this machine has no sandbox: the end of a sentence. Starts nothing; if it may have one, `sandboxProblem` says whether it works. */
export function whyNoSandbox(): string | undefined {
  if (!isLinux) return "it needs Linux";
  if (findBubblewrap() === undefined) return whyMissing();
  return socketFilter({ unix: false }) === undefined ? noFilter : undefined;
}

const noFilter = `it cannot block sockets on this architecture (${process.arch})`;

/** Builds the bubblewrap command that runs a command line under this policy. */
export function bubblewrapPrefix(policy: SandboxPolicy): SandboxPrefix {
  const program = findBubblewrap();
  if (program === undefined) return { problem: whyMissing() };
  const filter = socketFilter({ unix: policy.sockets === true });
  if (filter === undefined) return { problem: noFilter };
  const views = mountPlan(policy);
  const entrance = policy.isReadOnly ? undefined : policy.door?.entrance();
  const joined = entrance !== undefined && "argv" in entrance ? entrance.argv : [];
  const network = policy.network || joined.length > 0 ? [] : ["--unshare-net"];
  const base = [
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    ...(isRoot() ? ["--remount-ro", "/proc"] : []),
  ];
  const { options, mounts } = mountOptions(views, policy);
  return {
    argv: [
      ...joined,
      program,
      ...isolation,
      ...network,
      ...base,
      ...options,
      ...["--seccomp", String(filterFd), "--chdir", policy.cwd, "--"],
      ...mountCheck(mounts),
    ],
    filter,
    views,
  };
}

/** Root owns /proc/sys and can write to it without capabilities; one setting there names a program to run. */
function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Says that bwrap is missing: the end of a sentence. */
export function whyMissing(): string {
  const wanted = process.env[placeVariable];
  if (wanted) return `${placeVariable}=${wanted}: no such program`;
  return 'the program bwrap is missing; install it (Debian: "apt install bubblewrap"), or turn the sandbox off';
}

/** The path of bwrap; `undefined` without it. */
export function findBubblewrap(): string | undefined {
  const wanted = process.env[placeVariable];
  return (wanted ? [wanted] : places).find(isProgram);
}

function mountOptions(
  views: MountPlan,
  policy: SandboxPolicy,
): { readonly options: readonly string[]; readonly mounts: readonly Mount[] } {
  // Parents first: later mounts lie over earlier ones.
  const plan = [...views].sort(([a], [b]) => (a < b ? -1 : 1));
  const options: string[] = [];
  const mounts: Mount[] = [];
  const closed: string[] = [];
  const caches = cacheMounts(policy);
  const bind = (source: string, path: string, { isReadOnly = false } = {}) => {
    options.push(isReadOnly ? "--ro-bind" : "--bind", source, path);
    mounts.push({ source, path });
  };
  for (const [path, view] of plan) {
    if (view === "changeable") bind(path, path);
    else if (view === "shown") bind(path, path, { isReadOnly: true });
    else if (view === "temporary") bind(realPathOf(policy.temporaryDir), path);
    else if (view === "cache") {
      const { source = policy.temporaryDir, isReadOnly } = caches.get(path) ?? {};
      bind(realPathOf(source), path, { isReadOnly });
    } else {
      mounts.push({ path });
      if (!statSync(path).isDirectory()) options.push("--ro-bind", "/dev/null", path);
      else {
        options.push("--tmpfs", path);
        // Last, once everything shown inside is mounted.
        closed.push("--remount-ro", path);
      }
    }
  }
  return { options: [...options, ...closed], mounts };
}

/*
 * bwrap finds paths by their names, after the plan has been made, and follows links. What runs in another sandbox of the project may have
 * put a link in place of a directory meanwhile: then something else would be mounted, or it elsewhere. So before the command starts, a
 * shell in the sandbox compares the kernel's table of mounts with the plan: each must be where it belongs, and show what it should.
 */

/** What bwrap mounts at a path. `source`: the file or directory that is seen there; absent for a new file system, or a device. */
interface Mount {
  readonly path: string;
  readonly source?: string;
}

/**
 * Its arguments: the mounts, `--`, and the command. Its variables have long names, since those that the command gets must keep their values.
 * It speaks like bwrap, whose failure this is.
 */
const script = `
ikigai_mounts=
while read -r ikigai_id ikigai_parent ikigai_device ikigai_root ikigai_point ikigai_rest; do
  ikigai_mounts="$ikigai_mounts|$ikigai_device $ikigai_root $ikigai_point|"
done </proc/self/mountinfo
until [ "$1" = -- ]; do
  case $ikigai_mounts in
    *"$1|"*) shift ;;
    *) printf 'bwrap: %s was replaced while the sandbox was set up; try again\\n' "\${1##* }" >&2
      exit 1 ;;
  esac
done
shift
exec "$@"
`;

/** Returns the words between bwrap's and the command's that end the sandbox before the command starts if a mount is not what was planned. */
function mountCheck(mounts: readonly Mount[]): string[] {
  const table = readTable();
  return ["/bin/sh", "-c", script, "ikigai-sandbox", ...mounts.map((mount) => lineOf(mount, table)), "--"];
}

/**
 * The shell drops variables whose names it does not know: that of an exported function of bash, for instance. So they get there under other
 * names, and `words` before the command set them again. Not in the words: everyone on this machine can read bwrap's command line.
 */
export function pastShell(env: NodeJS.ProcessEnv): {
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
} {
  const isOdd = ([name, value]: [string, unknown]) => value !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
  const odd = Object.entries(env).filter(isOdd);
  if (odd.length === 0) return { words: [], env };
  const renamed = odd.map(([name, value], index) => [`IKIGAI_RENAMED_${index}`, `${name}=${value}`] as const);
  const names = renamed.map(([name]) => name);
  const again = [...names.map((name) => `-u ${name}`), "--", ...names.map((name) => `"$${name}"`)].join(" ");
  return {
    words: ["/bin/sh", "-c", `exec /usr/bin/env ${again} "$@"`, "ikigai-sandbox"],
    env: Object.fromEntries([...Object.entries(env).filter((entry) => !isOdd(entry)), ...renamed]),
  };
}

/** The end of a mount's line in the sandbox: with the device and the path on it, which are unknown only below another root directory (chroot). */
function lineOf({ path, source }: Mount, table: readonly TableEntry[]): string {
  const found = source === undefined ? undefined : entryOf(source, table);
  if (source === undefined || found === undefined) return ` ${escaped(path)}`;
  const below = escaped(source).slice(found.point === "/" ? 0 : found.point.length);
  const root = `${found.root === "/" ? "" : found.root}${below}` || "/";
  return `|${found.device} ${root} ${escaped(path)}`;
}

/** A mount of this process, with its paths as the kernel writes them. */
interface TableEntry {
  readonly device: string;
  /** The path on the device. */
  readonly root: string;
  readonly point: string;
}

function readTable(): TableEntry[] {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [, , device = "", root = "", point = ""] = line.split(" ");
      return { device, root, point };
    });
}

/** The mount that a path is on: the deepest, and of several at one place the last. */
function entryOf(path: string, table: readonly TableEntry[]): TableEntry | undefined {
  const plain = escaped(path);
  return table
    .filter(({ point }) => isInside(plain, point))
    .reduce<TableEntry | undefined>(
      (deepest, entry) => (deepest && deepest.point.length > entry.point.length ? deepest : entry),
      undefined,
    );
}

/** A path as the kernel writes it there. */
function escaped(path: string): string {
  return path.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

/** The system call numbers of one architecture. */
interface CallNumbers {
  /** The constant in <linux/audit.h>. */
  readonly auditArch: number;
  readonly socket: number;
  readonly socketpair: number;
  /** The first of add_key, request_key and keyctl, which follow each other. */
  readonly keys: number;
  readonly clone: number;
  readonly unshare: number;
  /** Does the work of the others, selected by its first argument; 32-bit programs only. */
  readonly socketcall?: number;
}

const x64: CallNumbers = { auditArch: 0xc000_003e, socket: 41, socketpair: 53, keys: 248, clone: 56, unshare: 272 };
const ia32: CallNumbers = {
  auditArch: 0x4000_0003,
  socket: 359,
  socketpair: 360,
  keys: 286,
  clone: 120,
  unshare: 310,
  socketcall: 102,
};
const arm64: CallNumbers = { auditArch: 0xc000_00b7, socket: 198, socketpair: 199, keys: 217, clone: 220, unshare: 97 };
const arm: CallNumbers = {
  auditArch: 0x4000_0028,
  socket: 281,
  socketpair: 288,
  keys: 309,
  clone: 120,
  unshare: 337,
  socketcall: 102,
};

/** The architectures a machine can run: its own, and its 32-bit variant. */
const kinds: Readonly<Record<string, readonly CallNumbers[]>> = { x64: [x64, ia32], arm64: [arm64, arm] };

/** io_uring creates and connects sockets without the calls above. Same number on all architectures. */
const ioUringSetup = 425;

/** Passes its flags in memory, where a filter cannot read them; programs then use clone. Same number on all architectures. */
const clone3 = 435;

/** CLONE_NEWUSER: in a user namespace of its own a process has all capabilities, and so most of the kernel to attack. */
const newUserFlag = 0x1000_0000;

/** On x86-64: marks calls of the unused x32 ABI. */
const x32Bit = 0x4000_0000;

/** Socket families confined to the sandbox's network namespace: IPv4, IPv6, netlink. */
const networkFamilies = [2, 10, 16];
const netlinkFamily = 16;
const unixFamily = 1;

/** NETLINK_AUDIT and NETLINK_NETFILTER: nothing that a tool needs, and often attacked. */
const refusedNetlink = [9, 12];

/** SOCK_STREAM and SOCK_SEQPACKET: such a pair stays connected. A datagram socket could send elsewhere. */
const connectedTypes = [1, 5];
const typeMask = 0xf;

const eperm = 1;
const enosys = 38;

/** Offsets in the filter's input (struct seccomp_data), in bytes. Both architectures are little-endian. */
const offsets = { number: 0, auditArch: 4, firstArgument: 16, secondArgument: 24, thirdArgument: 32 };

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const and = (mask: number): Instruction => [0x54, 0, 0, mask];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
const allow = answer(0x7fff_0000);
const refuse = (errno: number): Instruction => answer(0x0005_0000 + errno);

/** Each body must end with an answer. */
const when = (value: number, ...body: Instruction[]): Instruction[] => [[0x15, 0, body.length, value], ...body];
const whenSet = (flag: number, ...body: Instruction[]): Instruction[] => [[0x45, 0, body.length, flag], ...body];
const whenAtLeast = (value: number, ...body: Instruction[]): Instruction[] => [[0x35, 0, body.length, value], ...body];

/**
 * Builds a seccomp program that forbids Unix sockets, and families that network namespaces do not confine (vsock). Mounts
 * cannot do that: a process that sees a socket, even in a read-only directory or created later, can connect to it. It also forbids the
 * kernel's keyrings, which no namespace confines: other programs keep keys there; and user namespaces, which not every
 * bubblewrap can forbid.
 *
 * Socket pairs stay allowed, since programs use them to talk to
 * their children. Returns `undefined` for an unknown architecture.
 */
export function socketFilter({ unix }: { readonly unix: boolean }, arch: string = process.arch): Buffer | undefined {
  const own = kinds[arch];
  if (own === undefined) return undefined;
  const families = unix ? [...networkFamilies, unixFamily] : networkFamilies;
  const program = [
    ...own.flatMap((numbers) => [
      load(offsets.auditArch),
      ...when(numbers.auditArch, ...callFilter(numbers, families)),
    ]),
    refuse(enosys),
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}

function callFilter(
  { auditArch, socket, socketpair, keys, clone, unshare, socketcall }: CallNumbers,
  families: readonly number[],
): Instruction[] {
  const pairTypes = families.includes(unixFamily) ? [...connectedTypes, 2, 3] : connectedTypes;
  return [
    load(offsets.number),
    ...(auditArch === x64.auditArch ? whenAtLeast(x32Bit, refuse(enosys)) : []),
    ...[ioUringSetup, clone3, keys, keys + 1, keys + 2].flatMap((number) => when(number, refuse(enosys))),
    ...(socketcall === undefined ? [] : when(socketcall, refuse(eperm))),
    ...[clone, unshare].flatMap((number) =>
      when(number, load(offsets.firstArgument), ...whenSet(newUserFlag, refuse(eperm)), allow),
    ),
    ...when(
      socket,
      load(offsets.firstArgument),
      ...families.filter((family) => family !== netlinkFamily).flatMap((family) => when(family, allow)),
      ...when(
        netlinkFamily,
        load(offsets.thirdArgument),
        ...refusedNetlink.flatMap((protocol) => when(protocol, refuse(eperm))),
        allow,
      ),
      refuse(eperm),
    ),
    ...when(
      socketpair,
      load(offsets.secondArgument),
      and(typeMask),
      ...pairTypes.flatMap((type) => when(type, allow)),
      refuse(eperm),
    ),
    allow,
  ];
}
