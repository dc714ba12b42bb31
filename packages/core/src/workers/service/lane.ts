// The one process of a service: taken for a call, started if it is not running, replaced if it would be started differently now, and
// given up after too many deaths.

import { setImmediate as nextTurn } from "node:timers/promises";
import { type Command, type Failure, seesNoMore } from "@ikigai/sandbox";
import { isExiting, isLinux, unlessAborted } from "@ikigai/system";
import type { RegisteredTool } from "../../registry/registry.ts";
import { servedKey } from "../reuse.ts";
import { ServiceLog, serviceLogPath } from "./log.ts";
import { ServiceProcess, type StartResult } from "./process.ts";
import { type Cause, deathsMs, maxDeaths, type Report, readyMs } from "./replies.ts";

/** A service for a call, whose `leave()` is called when the call is over; or why the call has no service. */
export type TakenService =
  | { readonly kind: "service"; readonly process: ServiceProcess; readonly starter: Starter }
  | { readonly kind: "not started"; readonly start: Exclude<StartResult, { kind: "ready" }>; readonly log: ServiceLog }
  | { readonly kind: "impossible"; readonly failure: string }
  | { readonly kind: "interrupted" | "limit" }
  | { readonly kind: "dead"; readonly logPath: string | undefined };

/** The tool that started a service, and how. */
interface Starter {
  readonly tool: RegisteredTool;
  readonly command: Command;
}

/** A call that needs a service. */
interface ServiceRequest {
  /** The service's name. */
  readonly name: string;
  readonly tool: RegisteredTool;
  /** The user's directory, for the log. */
  readonly home: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Gets the progress of the start. */
  readonly report: Report;
  /** Returns the command that starts the service through this tool, in the circumstances of the call. */
  commandOf(starter: RegisteredTool): Command | Failure;
}

interface Member {
  readonly process: ServiceProcess;
  readonly starter: Starter;
  readonly key: string;
}

/** The one process of a service, and its deaths. */
export class ServiceLane {
  readonly #hasRoom: () => boolean;
  readonly #changed: (process: ServiceProcess, isOver: boolean) => void;
  #member: Member | undefined;
  #deathsAtMs: number[] = [];
  #isDead = false;

  /**
   * @param hasRoom whether one more service may run
   * @param changed called when a process has been started, and when it is over
   */
  constructor(hasRoom: () => boolean, changed: (process: ServiceProcess, isOver: boolean) => void) {
    this.#hasRoom = hasRoom;
    this.#changed = changed;
  }

  /** The process, unless it is over. */
  get process(): ServiceProcess | undefined {
    return this.#member?.process;
  }

  /** Waits for the service, and starts it if it is not running. One that would be started differently now is ended first. */
  async take(request: ServiceRequest): Promise<TakenService> {
    const { signal, report } = request;
    while (!signal?.aborted) {
      if (this.#isDead) return { kind: "dead", logPath: logPathOf(request) };
      const member = this.#fitting(request) ?? this.#start(request);
      if ("kind" in member) return member;
      const { process, starter } = member;
      if (process.isLeaving) {
        await unlessAborted(process.over, signal);
        continue;
      }
      process.enter();
      const hasToStart = process.state === "starting";
      const tell = (what: string) => hasToStart && report({ progress: 0, message: `${request.name}: ${what}` });
      tell("starting");
      const start = await process.untilStarted(report, signal);
      if (start?.kind === "ready" && (await isUsable(process))) {
        tell("ready");
        return { kind: "service", process, starter };
      }
      process.leave();
      if (start && start.kind !== "ready") return { kind: "not started", start, log: process.log };
    }
    return { kind: "interrupted" };
  }

  /** Ends the process, and forgets its deaths. */
  async refresh(): Promise<void> {
    this.#deathsAtMs = [];
    this.#isDead = false;
    await this.#member?.process.end();
  }

  /** Returns the process there is; one that does not fit is leaving. */
  #fitting(request: ServiceRequest): Member | undefined {
    const member = this.#member;
    if (member && !member.process.isLeaving) {
      const command = request.commandOf(member.starter.tool);
      if ("failure" in command || !fits(member, command, request.tool)) member.process.retire();
    }
    return member;
  }

  #start(request: ServiceRequest): Member | TakenService {
    const { tool, commandOf } = request;
    const command = commandOf(tool);
    if ("failure" in command) return { kind: "impossible", failure: command.failure };
    if (!this.#hasRoom()) return { kind: "limit" };
    const process = new ServiceProcess(command, new ServiceLog(logPathOf(request)), readyMs, (cause) =>
      this.#ended(member, cause),
    );
    const member = { process, starter: { tool, command }, key: keyOf(command, tool, tool) };
    this.#member = member;
    this.#changed(process, false);
    return member;
  }

  #ended(member: Member, cause: Cause): void {
    if (this.#member === member) this.#member = undefined;
    this.#changed(member.process, true);
    if (cause === "asked") return;
    const nowMs = performance.now();
    this.#deathsAtMs = [...this.#deathsAtMs.filter((atMs) => nowMs - atMs < deathsMs), nowMs];
    this.#isDead = this.#deathsAtMs.length >= maxDeaths;
  }
}

/** Whether the same process would be started now, or in the sandbox one that may do at least as much. */
function fits({ key, starter }: Member, command: Command, tool: RegisteredTool): boolean {
  const [had, permitted] = [starter.command.inside, command.inside];
  return keyOf(command, starter.tool, tool) === key && (!had || !permitted || seesNoMore(had.views, permitted.views));
}

/** Equal keys: the same program in the same circumstances, from the files that the user has trusted. */
function keyOf(command: Command, starter: RegisteredTool, { trusted }: RegisteredTool): string {
  // What it may see in the sandbox is compared on its own: more than before must not end it.
  const key = servedKey({ ...command, ...command.inside }, starter.path);
  return `${key}${trusted ? JSON.stringify([...trusted]) : ""}`;
}

function logPathOf({ home, name }: ServiceRequest): string | undefined {
  return home === undefined ? undefined : serviceLogPath(home, name);
}

/** Whether a process can be given a call: its end may not have been reported yet. */
async function isUsable(process: ServiceProcess): Promise<boolean> {
  await nextTurn();
  await nextTurn();
  if (isLinux && isExiting(process.pid ?? 0, false)) await process.over;
  return process.state === "ready";
}
