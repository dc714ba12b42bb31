import { readFileSync, statSync } from "node:fs";
import { isInside, isLinux, isProgram, realPathOf } from "@ikigai/system";
import { cacheMounts } from "./caches.ts";
import { type MountPlan, mountPlan } from "./mount-plan.ts";
import { filterFd, type SandboxPolicy, type SandboxPrefix } from "./policy.ts";
import { socketFilter } from "./socket-filter.ts";

/*
 * The command line of bubblewrap for a plan, and the check that runs first inside.
 */

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
 * Returns the words before the command that set those of its variables again that the shell has dropped, because it does not know such names:
 * that of an exported function of bash, for instance.
 */
export function settingAgain(env: NodeJS.ProcessEnv): string[] {
  const odd = Object.entries(env).filter(([name]) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  return odd.length === 0 ? [] : ["/usr/bin/env", ...odd.map(([name, value]) => `${name}=${value}`)];
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
