// What a call leaves running in a process that stays: in a sandbox by its process tree, otherwise by marks in the environment, by
// the group, and by forks that have left it.

import { existsSync } from "node:fs";
import { childrenOf, isDeadState, isDying, readStat } from "@ikigai/system";
import { clearUpTo, hasMark, killLeftovers, killLeftoversNow } from "../../leftovers/settle.ts";
import { isGuarded } from "../../leftovers/watchdog.ts";
import { callMarks, hostId, hostIdVariable, serveVariable, serviceIdVariable } from "../../process/tool-command.ts";

/** Finds what the calls of one served process leave running. */
export interface CallSweep {
  /** The tool itself; 0 while it is unknown. */
  readonly toolPid: number;
  begin(callId: string): void;
  /** Whether the call has left nothing running. False if that cannot be determined. */
  isClear(): boolean;
  /** Kills what the call has left running. `isClear`: none of it is left now; false if that cannot be determined. */
  kill(): Promise<{ readonly found: boolean; readonly isClear: boolean }>;
  /** The process is being killed: kills what it left elsewhere. */
  close(): void;
}

/**
 * The sweep in a sandbox, whose first process gets everything that the tool starts and no longer waits for. The kernel kills all of it
 * with the sandbox, which therefore ends with a call that has left something.
 */
export class SandboxSweep implements CallSweep {
  readonly #pid: number;
  #toolPid = 0;

  /** @param pid the sandbox's process on this side */
  constructor(pid: number) {
    this.#pid = pid;
  }

  get toolPid(): number {
    if (this.#toolPid === 0) this.#toolPid = this.#inside()[0] ?? 0;
    return this.#toolPid;
  }

  begin(): void {}

  isClear(): boolean {
    const { toolPid } = this;
    const inside = this.#inside();
    return (
      toolPid !== 0 &&
      inside.includes(toolPid) &&
      [...inside, ...childrenOf(toolPid)].every((pid) => {
        return pid === toolPid || isDeadState(readStat(pid)?.state ?? "Z");
      })
    );
  }

  async kill() {
    const isClear = this.isClear();
    return { found: !isClear, isClear };
  }

  close(): void {}

  /** What the first process of the sandbox waits for; the tool comes first. */
  #inside(): number[] {
    return childrenOf(this.#pid).flatMap(childrenOf);
  }
}

/** The served processes of this host that may be forking: they start, do a call or clean up after it. */
const active = new Set<object>();

/** Notes whether a served process may be forking. */
export function setActive(process: object, isActive: boolean): void {
  if (isActive) active.add(process);
  else active.delete(process);
}

/** Up to this process id there is no fork that left its group; `undefined` before the first look. */
let forksClearTo: number | undefined;

/** In the environment of what belongs to a call or to a service. */
const isOfOther = new RegExp(`(?:^|\0)(?:IKIGAI_CALL_ID|${serviceIdVariable})=`);

/**
 * Finds what the calls of one served process leave running. Unlike a tool that exits, the process stays, so everything younger
 * than the last look counts that
 *
 * - has the id of this call, or of the one before, in its environment,
 * - is in the process's group, or
 * - is a fork of a served process that has left its group without `exec`: it has the host's id, but no call's. So has a child
 *   of any served process until its `exec`, so this is looked at while no other one is active.
 *
 * Linux only.
 */
export class ServedSweep implements CallSweep {
  readonly toolPid: number;
  readonly #process: object;
  #callIds: readonly string[] = [];
  #clearTo: number;

  /**
   * @param process the served process, as given to `setActive`
   * @param pid its id; it leads its group
   */
  constructor(process: object, pid: number) {
    this.#process = process;
    this.toolPid = pid;
    this.#clearTo = pid;
    forksClearTo ??= pid;
  }

  /** A call begins. */
  begin(callId: string): void {
    this.#callIds = [...this.#callIds.slice(-1), callId];
  }

  isClear(): boolean {
    const clearTo = clearUpTo(this.#isLeft, this.#firstPid());
    if (clearTo === undefined) return false;
    this.#clearTo = clearTo;
    if (this.#isAlone()) forksClearTo = clearTo;
    return true;
  }

  async kill() {
    const { found, clearTo } = await killLeftovers(this.#isLeft, this.#firstPid());
    // Another served process may have been active meanwhile, so this says nothing about forks.
    if (clearTo !== undefined) this.#clearTo = clearTo;
    return { found, isClear: clearTo !== undefined };
  }

  close(): void {
    killLeftoversNow(this.#isLeft, this.#firstPid());
  }

  /** Whether no other served process is active. */
  #isAlone(): boolean {
    return active.size === 0 || (active.size === 1 && active.has(this.#process));
  }

  #firstPid(): number {
    return this.#isAlone() ? Math.min(this.#clearTo, forksClearTo ?? this.#clearTo) : this.#clearTo;
  }

  readonly #isLeft = (pid: number, environment: string | undefined): boolean => {
    const isOurs = hasMark(environment, `${hostIdVariable}=${hostId}`);
    if (isOurs && this.#callIds.some((id) => callMarks(id).every((mark) => hasMark(environment, mark)))) return true;
    const { group, state = "Z" } = readStat(pid) ?? {};
    if (group === undefined || isDeadState(state) || existsSync(`/proc/${pid}/task/${this.toolPid}`)) return false;
    if (group === this.toolPid) return true;
    const isFork = isOurs && hasMark(environment, `${serveVariable}=1`) && !isOfOther.test(environment ?? "");
    // A served process that is being replaced is no longer guarded, and takes a moment to die.
    return isFork && this.#isAlone() && !isGuarded(group) && !isDying(pid);
  };
}
