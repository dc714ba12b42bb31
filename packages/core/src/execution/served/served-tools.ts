import type { RegisteredTool } from "../../registry/registry.ts";
import { callLimits } from "../call-limits.ts";
import type { AheadProcess, CallOptions, CallSandbox, ServedCircumstances, ServedTools } from "../call-options.ts";
import { callSandbox } from "../call-sandbox.ts";
import { commandFor, sharedCommand } from "../command-for.ts";
import { isMemoryScarce } from "../is-memory-scarce.ts";
import { ServedLane } from "./served-lane.ts";
import { declaresServes, whyNotServed } from "./why-not-served.ts";

/** How many processes run at once, of all tools: as many as an agent makes calls at a time. */
const maxRunning = 8;

const checkMs = 5_000;

/** The processes of a tool in one place, and the sandbox that is planned for its next call. */
interface Place {
  readonly lane: ServedLane;
  sandbox: CallSandbox | undefined;
}

/** Creates a pool of processes that answer several calls. They do not keep the host alive, and end with it. */
export function servedTools(): ServedTools {
  const places = new Map<string, Place>();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const placeOf = (tool: RegisteredTool, circumstances: ServedCircumstances): Place => {
    const key = keyOf(tool, circumstances);
    const place = places.get(key) ?? { lane: new ServedLane(makeRoom), sandbox: undefined };
    places.set(key, place);
    return place;
  };
  const all = () => [...places.values()].flatMap(({ lane }) => lane.processes);
  /** Whether one more process may run; ends the one that has waited longest if there are too many. */
  const makeRoom = (): boolean => {
    timer ??= setInterval(check, checkMs).unref();
    if (all().length < maxRunning) return true;
    const waiting = all()
      .filter(({ state }) => state === "waiting")
      .sort((one, other) => one.sinceMs - other.sinceMs);
    waiting[0]?.end();
    return waiting.length > 0;
  };
  const check = () => {
    for (const { lane } of places.values()) lane.check(isMemoryScarce());
    if (all().length > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const refresh = () => {
    for (const { lane } of places.values()) lane.retire();
  };
  const serves: ServedTools["serves"] = (tool, expected) =>
    !isClosed && !places.get(keyOf(tool, expected))?.lane.hasGivenUp && whyNotServed(tool, expected) === undefined;

  return {
    serves,
    refresh,
    close() {
      isClosed = true;
      for (const { lane } of places.values()) lane.retire();
    },
    status(tool, expected) {
      if (!declaresServes(tool)) return undefined;
      const { lane } = places.get(keyOf(tool, expected)) ?? {};
      const gaveUp = lane?.hasGivenUp ? "its process ended unexpectedly twice" : undefined;
      const whyNot = whyNotServed(tool, expected) ?? gaveUp;
      return { ...(whyNot !== undefined && { whyNot }), running: lane?.processes.length ?? 0 };
    },
    expect(tool, call) {
      const place = placeOf(tool, call);
      const { lane } = place;
      lane.expected++;
      place.sandbox = callSandbox(tool, call, place.sandbox);
      prepare(place, tool, call);
      return announced(call, place.sandbox, () => lane.expected--);
    },
    keep(tool, expected) {
      const place = placeOf(tool, expected);
      // The last call may have changed what the plan depends on, such as a repository's hooks.
      place.sandbox = callSandbox(tool, expected);
      const isReady = !place.sandbox && place.lane.processes.length > 0;
      if (!isClosed && !isReady) prepare(place, tool, { ...expected, callId: "" });
    },
    plannedFor: (tool, expected) => places.get(keyOf(tool, expected))?.sandbox,
    take: (tool, command, call) => placeOf(tool, call).lane.take(sharedCommand(command), tool.path, call.signal),
  };
}

/** Equal for calls that share processes: a process of one place never gets a call of another, which has its own. */
function keyOf({ path }: RegisteredTool, { sandbox }: ServedCircumstances): string {
  return JSON.stringify([path, sandbox]);
}

function prepare({ lane, sandbox }: Place, tool: RegisteredTool, options: CallOptions): void {
  if ((lane.isPrepared && !sandbox) || isMemoryScarce()) return;
  const command = commandFor(tool, callLimits(tool, undefined, options), options, sandbox);
  if (!("failure" in command)) lane.prepare(sharedCommand(command), tool.path);
}

/** A call that was announced: there is no process of its own to take. */
function announced({ callId }: CallOptions, sandbox: CallSandbox | undefined, forget: () => void): AheadProcess {
  let isForgotten = false;
  const discard = () => {
    if (!isForgotten) forget();
    isForgotten = true;
  };
  return {
    callId,
    sandbox,
    fits: () => false,
    discard,
    async take() {
      discard();
      return undefined;
    },
  };
}
