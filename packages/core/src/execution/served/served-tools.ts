import type { RegisteredTool } from "../../registry/registry.ts";
import { callLimits } from "../call-limits.ts";
import type { AheadProcess, CallOptions, ServedTools } from "../call-options.ts";
import { commandFor, sharedCommand } from "../command-for.ts";
import { isMemoryScarce } from "../is-memory-scarce.ts";
import { ServedLane } from "./served-lane.ts";
import { declaresServes, whyNotServed } from "./why-not-served.ts";

/** How many processes run at once, of all tools: as many as an agent makes calls at a time. */
const maxRunning = 8;

const checkMs = 5_000;

/** Creates a pool of processes that answer several calls. They do not keep the host alive, and end with it. */
export function servedTools(): ServedTools {
  const lanes = new Map<string, ServedLane>();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const laneOf = ({ path }: RegisteredTool): ServedLane => {
    const lane = lanes.get(path) ?? new ServedLane(makeRoom);
    lanes.set(path, lane);
    return lane;
  };
  /** Whether one more process may run; ends the one that has waited longest if there are too many. */
  const makeRoom = (): boolean => {
    timer ??= setInterval(check, checkMs).unref();
    const all = [...lanes.values()].flatMap((lane) => lane.processes);
    if (all.length < maxRunning) return true;
    const waiting = all.filter(({ state }) => state === "waiting").sort((one, other) => one.sinceMs - other.sinceMs);
    waiting[0]?.end();
    return waiting.length > 0;
  };
  const check = () => {
    for (const lane of lanes.values()) lane.check(isMemoryScarce());
    if ([...lanes.values()].some(({ processes }) => processes.length > 0)) return;
    clearInterval(timer);
    timer = undefined;
  };
  const refresh = () => {
    for (const lane of lanes.values()) lane.retire();
  };
  const serves: ServedTools["serves"] = (tool, expected) =>
    !isClosed && !lanes.get(tool.path)?.hasGivenUp && whyNotServed(tool, expected) === undefined;

  return {
    serves,
    refresh,
    close() {
      isClosed = true;
      refresh();
    },
    status(tool, expected) {
      if (!declaresServes(tool)) return undefined;
      const lane = lanes.get(tool.path);
      const gaveUp = lane?.hasGivenUp ? "its process ended unexpectedly twice" : undefined;
      const whyNot = whyNotServed(tool, expected) ?? gaveUp;
      return { ...(whyNot !== undefined && { whyNot }), running: lane?.processes.length ?? 0 };
    },
    expect(tool, call) {
      const lane = laneOf(tool);
      lane.expected++;
      prepare(lane, tool, call);
      return announced(call, () => lane.expected--);
    },
    keep(tool, expected) {
      const lane = laneOf(tool);
      if (!isClosed && lane.processes.length === 0) prepare(lane, tool, { ...expected, callId: "" });
    },
    take: (tool, command, signal) => laneOf(tool).take(sharedCommand(command), tool.path, signal),
  };
}

function prepare(lane: ServedLane, tool: RegisteredTool, options: CallOptions): void {
  if (lane.isPrepared || isMemoryScarce()) return;
  const command = commandFor(tool, callLimits(tool, undefined, options), options, undefined);
  if (!("failure" in command)) lane.prepare(sharedCommand(command), tool.path);
}

/** A call that was announced: there is no process of its own to take. */
function announced({ callId }: CallOptions, forget: () => void): AheadProcess {
  let isForgotten = false;
  const discard = () => {
    if (!isForgotten) forget();
    isForgotten = true;
  };
  return {
    callId,
    sandbox: undefined,
    fits: () => false,
    discard,
    async take() {
      discard();
      return undefined;
    },
  };
}
