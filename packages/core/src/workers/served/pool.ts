// The served processes of a host: which there are of each tool and place, what may run at once, and which calls go to them.

import { newestId } from "@ikigai/system";
import { callLimits } from "../../call/arguments.ts";
import { makesRequests } from "../../call/host-api.ts";
import type {
  AheadProcess,
  CallOptions,
  CallResult,
  CallSandbox,
  ExpectedCall,
  PreparedCall,
  ServedPool,
} from "../../call/options.ts";
import { callSandbox, commandFor, sharedCommand } from "../../call/prepare-call.ts";
import type { ServedCircumstances, ServedStatus } from "../../call/worker-types.ts";
import type { RegisteredTool } from "../../registry/registry.ts";
import { isMemoryScarce, whyAlone } from "../reuse.ts";
import { callServed } from "./call.ts";
import { ServedLane } from "./lane.ts";

/** How often waiting processes are looked at, in milliseconds. */
const checkMs = 5_000;

/** How many processes run at once, of all tools: as many as an agent makes calls at a time. */
const maxRunning = 8;

/** The processes of a tool in one place, and the sandbox that is planned for its next call. */
interface ServedPlace {
  readonly lane: ServedLane;
  sandbox: CallSandbox | undefined;
}

/** What the pool needs besides. */
interface OwnServedPool extends ServedPool {
  call(call: PreparedCall): Promise<CallResult | undefined>;
  /** Plans the sandbox of the next call, and has a process ready for it. */
  keep(tool: RegisteredTool, expected: ExpectedCall): void;
  /** Ends the processes that wait, and those that work when they have answered. Calls start new ones. */
  refresh(): void;
  /** The same, and starts no more. */
  close(): void;
}

/** Creates the processes that answer several calls. They do not keep the host alive, and end with it. */
export function servedPool(): OwnServedPool {
  const places = new Map<string, ServedPlace>();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const placeOf = (tool: RegisteredTool, circumstances: ServedCircumstances): ServedPlace => {
    const key = servedKeyOf(tool, circumstances);
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
  const serves: ServedPool["serves"] = (tool, expected) =>
    !isClosed &&
    !places.get(servedKeyOf(tool, expected))?.lane.hasGivenUp &&
    whyNotServed(tool, expected) === undefined;

  return {
    serves,
    refresh,
    close() {
      isClosed = true;
      refresh();
    },
    status: (tool, expected) => statusIn(places.get(servedKeyOf(tool, expected))?.lane, tool, expected),
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
    plannedFor: (tool, expected) => places.get(servedKeyOf(tool, expected))?.sandbox,
    async call(call) {
      const { tool, limits, options, sandbox } = call;
      const command = serves(tool, options) && commandFor(tool, limits, options, sandbox);
      if (!command || "failure" in command) return undefined;
      return callServed(call, () =>
        placeOf(tool, options).lane.take(sharedCommand(command), tool.path, options.signal),
      );
    },
  };
}

/** Equal for calls that share processes: a process of one place never gets a call of another, which has its own. */
function servedKeyOf({ path }: RegisteredTool, { sandbox }: ServedCircumstances): string {
  return JSON.stringify([path, sandbox]);
}

function statusIn(
  lane: ServedLane | undefined,
  tool: RegisteredTool,
  expected: ServedCircumstances,
): ServedStatus | undefined {
  if (!declaresServes(tool)) return undefined;
  const gaveUp = lane?.hasGivenUp ? "its process ended unexpectedly twice" : undefined;
  const whyNot = whyNotServed(tool, expected) ?? gaveUp;
  return { ...(whyNot !== undefined && { whyNot }), running: lane?.processes.length ?? 0 };
}

function prepare({ lane, sandbox }: ServedPlace, tool: RegisteredTool, options: CallOptions): void {
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

/**
 * Returns why every call of a tool gets a process of its own; `undefined` if calls may share processes. The end of a sentence.
 *
 * Without `/proc`, as on macOS, what a call leaves running could not be found.
 */
function whyNotServed(tool: RegisteredTool, circumstances: ServedCircumstances): string | undefined {
  if (!declaresServes(tool)) return 'it does not declare "serves"';
  if (tool.scope === "project") return "it is a tool of the project";
  if (makesRequests(tool)) return "it makes requests to ikigai";
  return whyAlone(tool, circumstances) ?? (newestId() === 0 ? "this system has no /proc" : undefined);
}

/** Whether a tool declares that one process can answer several calls. A service has its own rules. */
function declaresServes({ schema: { ikigai = {} } }: RegisteredTool): boolean {
  return ikigai.serves === true && ikigai.service === undefined;
}
