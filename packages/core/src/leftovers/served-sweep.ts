import { existsSync } from "node:fs";
import { isDeadState, readStat } from "@ikigai/system";
import { callMarks, hostId, hostIdVariable, serveVariable } from "./call-marks.ts";
import { clearUpTo, hasMark, killLeftovers, killLeftoversNow } from "./kill-leftovers.ts";
import { isGuarded } from "./watchdog.ts";

/** How many calls this host is running in served processes. */
let running = 0;

/** Up to this process id there is no fork that left its group; `undefined` before the first look. */
let forksClearTo: number | undefined;

/**
 * Finds what the calls of one served process leave running. Unlike a tool that exits, the process stays, so everything younger
 * than the last look counts that
 *
 * - has the id of this call, or of the one before, in its environment,
 * - is in the process's group, or
 * - is a fork of a served process that has left its group without `exec`: it has the host's id, but no call's. It could belong
 *   to any running call, so this is looked at when no other one is running.
 *
 * Linux only.
 */
export class ServedSweep {
  readonly #pid: number;
  #callIds: readonly string[] = [];
  #clearTo: number;

  /** @param pid the served process, which leads its group. */
  constructor(pid: number) {
    this.#pid = pid;
    this.#clearTo = pid;
    forksClearTo ??= pid;
  }

  /** A call begins. */
  begin(callId: string): void {
    running++;
    this.#callIds = [...this.#callIds.slice(-1), callId];
  }

  /** Whether the call has left nothing running. False if that cannot be determined. */
  isClear(): boolean {
    const clearTo = clearUpTo(this.#isLeft, this.#firstPid());
    if (clearTo === undefined) return false;
    this.#clearTo = clearTo;
    if (running <= 1) forksClearTo = clearTo;
    return true;
  }

  /** Kills what the call has left running; returns whether there was anything. */
  kill(): Promise<boolean> {
    return killLeftovers(this.#isLeft, this.#firstPid());
  }

  /** The call is over. */
  end(): void {
    running--;
  }

  /** The process is being killed: kills what it left elsewhere. */
  close(): void {
    killLeftoversNow(this.#isLeft, this.#firstPid());
  }

  #firstPid(): number {
    return running <= 1 ? Math.min(this.#clearTo, forksClearTo ?? this.#clearTo) : this.#clearTo;
  }

  readonly #isLeft = (pid: number, environment: string | undefined): boolean => {
    const isOurs = hasMark(environment, `${hostIdVariable}=${hostId}`);
    if (isOurs && this.#callIds.some((id) => callMarks(id).every((mark) => hasMark(environment, mark)))) return true;
    const { group, state = "Z" } = readStat(pid) ?? {};
    if (group === undefined || isDeadState(state) || existsSync(`/proc/${pid}/task/${this.#pid}`)) return false;
    if (group === this.#pid) return true;
    const isFork =
      isOurs && hasMark(environment, `${serveVariable}=1`) && !/(?:^|\0)IKIGAI_CALL_ID=/.test(environment ?? "");
    return isFork && running <= 1 && !isGuarded(group);
  };
}
