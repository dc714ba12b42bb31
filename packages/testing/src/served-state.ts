import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { constants } from "node:os";
import { progressFd } from "@ikigai/protocol";
import { isLinux } from "@ikigai/system";

/** What the system shows of a process that waits for its next call. */
export interface ServedState {
  /** What has to be the same before every call, in words. */
  readonly fixed: Readonly<Record<string, string>>;
  /** The signals that do not have their default effect, as bits: signal N is bit N - 1. */
  readonly handledSignals: bigint;
  readonly descriptors: readonly string[];
}

/** Reads the state of a process; `undefined` on systems other than Linux. */
export function servedState(pid: number): ServedState | undefined {
  if (!isLinux) return undefined;
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(status)?.[1] ?? "";
  return {
    fixed: {
      "the working directory": readlinkSync(`/proc/${pid}/cwd`),
      "the umask": field("Umask"),
      [`descriptor ${progressFd}`]: linkOf(pid, String(progressFd)),
    },
    handledSignals: (BigInt(`0x${field("SigCgt")}`) | BigInt(`0x${field("SigIgn")}`)) & ~childSignal,
    descriptors: descriptorsOf(pid),
  };
}

/** Those that hold state: not one that was closed while they were listed, nor the one that Node keeps in reserve from its first stream on. */
function descriptorsOf(pid: number): string[] {
  const open = readdirSync(`/proc/${pid}/fd`)
    .map((name) => [name, linkOf(pid, name)] as const)
    .filter(([, target]) => target !== closed);
  const reserve = open.find(([name, target]) => target === "/dev/null" && Number(name) > progressFd);
  return open.filter((one) => one !== reserve).map(([name, target]) => `${name} (${target})`);
}

/** What is different after later calls: the end of a sentence. The first call may load what stays. */
export function stateProblem(first: ServedState, afterFirst: ServedState, later: ServedState): string | undefined {
  const changed = Object.keys(first.fixed).find((what) => later.fixed[what] !== first.fixed[what]);
  if (changed !== undefined)
    return `${changed} changed from ${first.fixed[changed] || "nothing"} to ${later.fixed[changed] || "nothing"}`;
  const handled = later.handledSignals & ~first.handledSignals;
  if (handled !== 0n) return `${signalNames(handled)} is still caught or ignored`;
  const opened = later.descriptors.filter((descriptor) => !afterFirst.descriptors.includes(descriptor));
  // Numbers alone do not show a leak: another file may have been opened under the same one.
  const more = later.descriptors.length - afterFirst.descriptors.length;
  return more > 0 ? `${more} more descriptors are open: ${opened.slice(0, 3).join(", ")}` : undefined;
}

/** SIGCHLD is caught as long as a child process is awaited. */
const childSignal = 1n << BigInt(constants.signals.SIGCHLD - 1);

function signalNames(mask: bigint): string {
  const names = Object.entries(constants.signals).filter(([, number]) => (mask >> BigInt(number - 1)) & 1n);
  return names.map(([name]) => name).join(", ");
}

/** Stands for the target of a descriptor that is not open. */
const closed = "closed";

function linkOf(pid: number, descriptor: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return closed;
  }
}
