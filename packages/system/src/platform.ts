// What differs between systems. In order: which one this is, the process table, the descriptors that a child would inherit, the attributes of
// files, and signals.
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";

/** Whether this is Linux, where `/proc` shows processes, descriptors and limits. */
export const isLinux = process.platform === "linux";

/** Whether this is macOS. Code that depends on it is not covered by tests on Linux. */
export const isMacOs = process.platform === "darwin";

/** The longest path that a system call accepts, in bytes: `PATH_MAX`. */
export const maxPathBytes = isMacOs ? 1_024 : 4_096;

/** Linux's PF_EXITING, among the flags of a process. */
export const exitingFlag = 0x4;

/** Fields of Linux's `/proc/PID/stat`. */
interface ProcessStat {
  /** `Z` for a zombie. */
  readonly state: string;
  readonly group: number;
  readonly flags: number;
  /** Start time, in ticks since boot. */
  readonly startTicks: string;
  /** Where its code ends in memory. */
  readonly codeEnd: string | undefined;
  /** Where its environment starts and ends in memory. */
  readonly environment: readonly string[];
}

function statFile(pid: number | string): string {
  return `/proc/${pid}/stat`;
}

/** Reads `/proc/PID/stat`; `undefined` on other systems, and if there is no such process. */
export function readStat(pid: number | string): ProcessStat | undefined {
  try {
    const stat = readFileSync(statFile(pid), "latin1");
    // "pid (command) state parent group session tty foreground flags …", where the command may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", , group, , , , flags] = fields;
    return {
      state,
      group: Number(group),
      flags: Number(flags),
      startTicks: fields[19] ?? "",
      codeEnd: fields[24],
      environment: fields.slice(47, 49),
    };
  } catch {
    return undefined;
  }
}

/** The state of a process that is looked at before each call, until `stopWatching`; `undefined` like `readStat`. */
export function watchState(pid: number): string | undefined {
  const stat = readOften(statFile(pid));
  return stat?.[stat.lastIndexOf(")") + 2];
}

/** Lets go of a process of `watchState`. */
export function stopWatching(pid: number): void {
  stopReading(statFile(pid));
}

/** Whether a state is that of a dead process or a zombie. */
export function isDeadState(state: string): boolean {
  return state === "Z" || state === "X" || state === "x";
}

/** Up to this many process ids are tried one by one; beyond that, listing /proc is faster. */
const maxTried = 64;

/** Returns the ids of all visible processes; empty without `/proc`. */
export function processIds(): number[] {
  if (!isLinux) return [];
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    // Not mounted.
    return [];
  }
}

/** The most recent id that Linux has given to a process or thread: ids count up, then wrap around. 0 if it cannot be read. */
export function newestId(): number {
  return Number(readOften("/proc/loadavg")?.split(" ").at(-1) ?? 0);
}

/** Returns the processes that may have started after `fromPid` and up to `lastId`, a value of `newestId()`: usually few. */
export function processIdsBetween(fromPid: number, lastId: number): number[] {
  const span = lastId - fromPid;
  if (span >= 0 && span <= maxTried) {
    const numbers = Array.from({ length: span }, (_, index) => fromPid + 1 + index);
    return numbers.filter((id) => existsSync(`/proc/${id}`) && !isThread(id, fromPid));
  }
  // After the ids have wrapped around, any other process may be a new one.
  return processIds().filter((pid) => (span >= 0 ? pid > fromPid : pid !== fromPid));
}

/** Threads use ids, too, and those of a process being killed exist for a moment. */
function isThread(id: number, pid: number): boolean {
  return existsSync(`/proc/${id}/task/${pid}`);
}

/** Returns the members of a process group that are running, not zombies. Linux only. */
export function runningMembers(groupId: number): number[] {
  return processIds().filter((pid) => {
    const stat = readStat(pid);
    return stat?.group === groupId && !isDeadState(stat.state);
  });
}

/** Returns a process's children that have not been waited for; empty if Linux was built without this file. */
export function childrenOf(pid: number): number[] {
  return (readProc(`${pid}/task/${pid}/children`) ?? "").split(" ").filter(Boolean).map(Number);
}

/**
 * Returns the environment a process was started with: `NAME=VALUE`, each followed by NUL; `undefined` if the process is gone or
 * belongs to another user.
 */
export function environmentOf(pid: number): string | undefined {
  return readProc(`${pid}/environ`);
}

/** Returns a process's command line, separated by spaces; `undefined` if the process is gone. Linux only. */
export function commandLineOf(pid: number): string | undefined {
  const words = readProc(`${pid}/cmdline`);
  return words && Buffer.from(words, "latin1").toString("utf8").replace(/\0$/, "").replaceAll("\0", " ");
}

function readProc(name: string): string | undefined {
  try {
    return readFileSync(`/proc/${name}`, "latin1");
  } catch {
    return undefined;
  }
}

/** Enough for a line or two, in bytes. */
const start = Buffer.allocUnsafe(128);

const opened = new Map<string, number>();

/**
 * Reads the first 128 bytes of a file in `/proc`; `undefined` if that fails. The file stays open: reading it again costs 10 µs,
 * opening it four times as much. Also works when no more files can be opened.
 */
export function readOften(path: string): string | undefined {
  try {
    const fd = opened.get(path) ?? openSync(path, "r");
    opened.set(path, fd);
    return startOf(fd);
  } catch {
    stopReading(path);
    return undefined;
  }
}

/** Closes a file that `readOften` has left open, if it has. */
function stopReading(path: string): void {
  const fd = opened.get(path);
  opened.delete(path);
  if (fd !== undefined) closeSync(fd);
}

/**
 * Reads the first 128 bytes of a file in `/proc`. Costs half of `readFileSync`, which asks for a size and reads until the end.
 *
 * @throws the system's error.
 */
function readStart(path: string): string {
  const fd = openSync(path, "r");
  try {
    return startOf(fd);
  } finally {
    closeSync(fd);
  }
}

function startOf(fd: number): string {
  return start.toString("latin1", 0, readSync(fd, start, 0, start.length, 0));
}

/**
 * Whether the kernel has set PF_EXITING: its pipes closed because the process is ending.
 *
 * @param unknown the result if that cannot be determined, for instance without a free descriptor.
 */
export function isExiting(pid: number, unknown = true): boolean {
  const stat = readStat(pid);
  return stat ? (stat.flags & exitingFlag) !== 0 : unknown;
}

/** Whether a process has been killed, or is exiting, and its program no longer runs. Linux only; false elsewhere. */
export function isDying(pid: number): boolean {
  // In this order: a pending SIGKILL is taken off just before PF_EXITING is set.
  return hasPendingKill(pid) || isExiting(pid, false);
}

/** Bit of SIGKILL in the signal sets of `/proc/PID/status`. */
const killBit = 1n << 8n;

function hasPendingKill(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return [...status.matchAll(/^(?:SigPnd|ShdPnd):\t([0-9a-f]+)$/gm)].some(
      ([, set]) => (BigInt(`0x${set}`) & killBit) !== 0n,
    );
  } catch {
    return false;
  }
}

/** Returns when a running process started; `undefined` if it does not exist or is a zombie. */
export function processStart(pid: number): Date | undefined {
  return isLinux ? startOnLinux(pid) : startedByPs(pid);
}

/** The unit of the kernel's times: USER_HZ is 100 on every architecture Node supports. */
const ticksPerSecond = 100;

function startOnLinux(pid: number): Date | undefined {
  try {
    const found = readStat(pid);
    const bootedAt = /^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1];
    if (found === undefined || isDeadState(found.state) || bootedAt === undefined) return undefined;
    return new Date(1_000 * (Number(bootedAt) + Number(found.startTicks) / ticksPerSecond));
  } catch {
    return undefined;
  }
}

/** When a process started, according to `ps`; `undefined` for none or a zombie. For macOS; not tested on Linux. */
export function startedByPs(pid: number): Date | undefined {
  try {
    const { execFileSync } = loadSpawning();
    const [state = "", ...start] = execFileSync("/bin/ps", ["-o", "state=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { LC_ALL: "C", ...(process.env.TZ && { TZ: process.env.TZ }) },
      stdio: ["ignore", "pipe", "ignore"],
    })
      .trim()
      .split(/\s+/);
    const date = new Date(start.join(" "));
    return state.startsWith("Z") || Number.isNaN(date.getTime()) ? undefined : date;
  } catch {
    return undefined;
  }
}

/** O_CLOEXEC in the flags of /proc/self/fdinfo (octal, Linux). */
const closeOnExec = 0o2_000_000;

let inherited: readonly number[] | undefined;

/**
 * Returns the descriptors above 2 that this process inherited and its children would inherit, too. Node opens its own with
 * O_CLOEXEC, but marks inherited ones only up to the first gap above 15. Read once: there can be no more later.
 *
 * Empty on macOS, where spawn closes all other descriptors.
 */
export function inheritedDescriptors(): readonly number[] {
  inherited ??= isLinux ? readInherited() : [];
  return inherited;
}

/** Closes the inherited descriptors, except those that `isKept` selects. */
export function closeInheritedDescriptors(isKept: (descriptor: number) => boolean): void {
  // V8 opens its log files the same way; closing them would let other files get their numbers.
  if (/--(?:perf|prof|log)/.test([...process.execArgv, process.env.NODE_OPTIONS].join(" "))) return;
  const closed = inheritedDescriptors().filter((descriptor) => !isKept(descriptor) && isClosed(descriptor));
  inherited = inheritedDescriptors().filter((descriptor) => !closed.includes(descriptor));
}

function isClosed(descriptor: number): boolean {
  try {
    closeSync(descriptor);
    return true;
  } catch {
    return false;
  }
}

/** @throws the system's error if /proc cannot be read: then nothing must be started. */
function readInherited(): number[] {
  const open = readdirSync("/proc/self/fd").map(Number);
  return open.filter((descriptor) => descriptor > 2 && isHandedOn(descriptor)).sort((a, b) => a - b);
}

function isHandedOn(descriptor: number): boolean {
  let info: string;
  try {
    info = readStart(`/proc/self/fdinfo/${descriptor}`);
  } catch (error) {
    // The descriptor the list itself was read with.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
  const [, flags = "0"] = /^flags:\s*([0-7]+)/m.exec(info) ?? [];
  return (Number.parseInt(flags, 8) & closeOnExec) === 0;
}

/**
 * Returns a path to the file or directory behind an open descriptor, even if it is moved; `undefined` on macOS, which has
 * no such paths for directories.
 */
export function descriptorPath(descriptor: number): string | undefined {
  return isLinux ? `/proc/${process.pid}/fd/${descriptor}` : undefined;
}

/** Directories of the GNU programs. PATH is not searched: it may begin inside a project. */
const directories = ["/bin", "/usr/bin", "/run/current-system/sw/bin"];

/** Time limit for one program, in milliseconds; typically it takes two. */
const timeoutMs = 10_000;

/**
 * Copies a file's extended attributes and, if it has an access control list, the list and the mode. Node can neither copy nor
 * detect them, so `ls` and `cp` do.
 *
 * @param mayShare whether the users and groups in the mode and the list may briefly have these rights. If not, no list is
 * copied.
 * @returns whether everything was copied, and `to` has no list that `from` lacks.
 */
export function copyAttributes(from: string, to: string, { mayShare }: { readonly mayShare: boolean }): boolean {
  // One line per file, in this order, whatever the names.
  const lines = run("ls", ["-ndbU", "--color=never", "--", from, to])?.split("\n");
  if (lines?.length !== 3) return false;
  const [isListed, inherits] = lines.map((line) => line[10] === "+");
  if (isListed) return mayShare && copy("mode,xattr", from, to);
  // The directory's default list: newer versions of `cp` leave it on the new file, and the first `chmod` would activate it.
  return !inherits && copy("xattr", from, to);
}

/** macOS's `cp` copies a file's attributes only along with its content. Not covered by tests on Linux. */
export function copyWithAttributes(from: string, to: string): boolean {
  return run("cp", ["-p", from.startsWith("-") ? `./${from}` : from, to]) !== undefined;
}

function copy(what: string, from: string, to: string): boolean {
  return run("cp", ["--attributes-only", `--preserve=${what}`, "--", from, to]) !== undefined;
}

/** A program's output; `undefined` if it is missing or fails. */
function run(program: string, args: readonly string[]): string | undefined {
  const { spawnSync } = loadSpawning();
  for (const directory of directories) {
    const { status, stdout, error } = spawnSync(`${directory}/${program}`, args, {
      encoding: "latin1",
      env: {},
      stdio: ["ignore", "pipe", "ignore"],
      timeout: timeoutMs,
    });
    if ((error as NodeJS.ErrnoException | undefined)?.code !== "ENOENT") return status === 0 ? stdout : undefined;
  }
  return undefined;
}

/** Loads the module that replacing a file needs, which takes 4 ms: a waiting tool can do so ahead of its call. */
export function loadSpawning(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
}

/** What to do if a signal ends the process. */
const cleanups = new Set<() => void>();

/** Signals by which a host, terminal or shell ends a process; SIGKILL cannot be handled. */
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Calls `remove` if a signal ends the process before the returned value is disposed of. Register before creating the file: a
 * signal in between would leave it. If the process has its own handler for the signal, nothing is removed.
 */
export function removeOnSignal(remove: () => void): Disposable {
  if (cleanups.size === 0) for (const signal of signals) process.once(signal, end);
  cleanups.add(remove);
  return {
    [Symbol.dispose]() {
      cleanups.delete(remove);
      if (cleanups.size === 0) for (const signal of signals) process.off(signal, end);
    },
  };
}

function end(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 0) return void process.once(signal, end);
  for (const remove of cleanups) remove();
  // The listener is removed by now, so the signal has its default effect.
  process.kill(process.pid, signal);
}

/** Returns whether there is a process with this id, of any user. A zombie counts. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Sends a signal to a process group; returns whether there is one. Signal 0 only checks. */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-groupId, signal);
  } catch {
    // ESRCH: the group is empty. EPERM: only zombies are left (macOS), or processes of another user.
    return false;
  }
}
