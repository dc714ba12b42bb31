// The pool of a host's workers. A spare waits for one call; a served process answers several, one after the other; a service answers all calls
// of a conversation at once. In order: the pool, served processes, services, and which calls go to which.

import { dirname } from "node:path";
import { atExit, newestId } from "@ikigai/system";
import { callLimits } from "../call/arguments.ts";
import { makesRequests } from "../call/host-api.ts";
import type {
  AheadProcess,
  CallOptions,
  CallResult,
  CallSandbox,
  ExpectedCall,
  PreparedCall,
  ServedCircumstances,
  ServedStatus,
  ServedTools,
  ServiceInfo,
  ServicePool,
  SpareTools,
} from "../call/options.ts";
import { callSandbox, commandFor, sharedCommand } from "../call/prepare-call.ts";
import { hostCallId } from "../process/tool-command.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { callServed } from "./call-served.ts";
import { ServedLane } from "./served-lane.ts";
import type { ServiceLane, TakenService } from "./service-lane.ts";
import type { ServiceProcess } from "./service-process.ts";
import { maxServices } from "./service-reader.ts";
import { expectedCommand, startWaiting } from "./start-ahead.ts";

/**
 * How many processes wait at once. Each costs 6 MB besides the interpreter's code, which they share. Models mostly call the
 * same one or two tools.
 */
const maxSpares = 2;

/** How long a process waits, in milliseconds: longer than a model needs for its next call, shorter than a person's break. */
const maxIdleMs = 60_000;

const checkMs = 5_000;

interface Spare {
  readonly path: string;
  readonly waiting: AheadProcess;
  readonly sinceMs: number;
}

/**
 * Creates a pool of waiting tool processes: the next call of a tool need not wait for its start. Pass it as `spares` to
 * `callTool` or `execute`. At most two processes wait, up to a minute each; of a tool that declares `serves`, at most two as
 * well, each of which answers up to 200 calls. A tool that names a `service` gets one process for all calls of a conversation, which
 * ends when the pool is closed. They do not keep the host alive, and end with it.
 * Never throws: a call starts a process of its own if none is waiting.
 *
 * @example
 * const spares = spareTools();
 * await callTool(registry, "bash", args, { spares });
 * await spares.close();
 */
export function spareTools(): SpareTools {
  const served = servedTools();
  const services = servicePool();
  let spares: Spare[] = [];
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  /** Kills the processes that do not pass. */
  const retain = (passes: (spare: Spare, index: number) => boolean) => {
    const kept = spares.filter(passes);
    for (const spare of spares) if (!kept.includes(spare)) spare.waiting.discard();
    spares = kept;
    if (spares.length > 0 || !timer) return;
    clearInterval(timer);
    timer = undefined;
  };
  const retainFitting = (tool: RegisteredTool, expected: ExpectedCall, sandbox: CallSandbox | undefined) =>
    retain(({ path, waiting }) => {
      if (path !== tool.path) return true;
      const command = expectedCommand(tool, { ...expected, callId: waiting.callId }, sandbox);
      return !("failure" in command) && waiting.fits(command);
    });
  const check = () => retain(({ sinceMs }) => performance.now() - sinceMs < maxIdleMs && !isMemoryScarce());
  const killWaiting = () => {
    isClosed = true;
    served.close();
    retain(() => false);
  };
  const forget = atExit(killWaiting);

  return {
    served,
    services,
    call: async (call) => (await services.call(call)) ?? served.call(call),
    async close() {
      killWaiting();
      forget();
      await services.close();
    },
    refresh() {
      void services.refresh();
      served.refresh();
      retain(() => false);
    },
    keep(tool, expected, sandbox = callSandbox(tool, expected)) {
      if (services.serves(tool, expected)) return;
      if (served.serves(tool, expected)) {
        served.keep(tool, expected);
        return;
      }
      retainFitting(tool, expected, sandbox);
      // Nothing here would show that a file on another machine has changed.
      if (isClosed || tool.launcher || isMemoryScarce() || spares.some(({ path }) => path === tool.path)) return;
      const waiting = startWaiting(tool, { ...expected, callId: hostCallId("ahead") }, sandbox);
      if (waiting === undefined) return;
      spares.push({ path: tool.path, waiting, sinceMs: performance.now() });
      retain((_, index) => index >= spares.length - maxSpares);
      timer ??= setInterval(check, checkMs).unref();
    },
    take(tool, expected, sandbox = callSandbox(tool, expected)) {
      if (served.serves(tool, expected) || services.serves(tool, expected)) return undefined;
      retainFitting(tool, expected, sandbox);
      const found = spares.find(({ path }) => path === tool.path);
      spares = spares.filter((spare) => spare !== found);
      return found && { ...found.waiting, sandbox };
    },
  };
}

/** How many processes run at once, of all tools: as many as an agent makes calls at a time. */
const maxRunning = 8;

/** The processes of a tool in one place, and the sandbox that is planned for its next call. */
interface ServedPlace {
  readonly lane: ServedLane;
  sandbox: CallSandbox | undefined;
}

/** What the pool needs besides. */
interface ServedPool extends ServedTools {
  call(call: PreparedCall): Promise<CallResult | undefined>;
  /** Plans the sandbox of the next call, and has a process ready for it. */
  keep(tool: RegisteredTool, expected: ExpectedCall): void;
  /** Ends the processes that wait, and those that work when they have answered. Calls start new ones. */
  refresh(): void;
  /** The same, and starts no more. */
  close(): void;
}

/** Creates the processes that answer several calls. They do not keep the host alive, and end with it. */
function servedTools(): ServedPool {
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
  const serves: ServedTools["serves"] = (tool, expected) =>
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

/** What keeps the calls of a tool away from any process that stays. */
function whyAlone(
  { name, launcher }: RegisteredTool,
  { env = process.env, serve }: ServedCircumstances,
): string | undefined {
  if (launcher) return "it has a launcher";
  if (serve === false) return `tools.${name}.serve is false in your configuration`;
  return env.IKIGAI_NO_SERVE === "1" ? "IKIGAI_NO_SERVE is set" : undefined;
}

/** Whether a tool declares that one process can answer several calls. A service has its own rules. */
function declaresServes({ schema: { ikigai = {} } }: RegisteredTool): boolean {
  return ikigai.serves === true && ikigai.service === undefined;
}

/** The services of this host that are not over. */
const running = new Set<ServiceProcess>();

/** A service, which may be running. */
interface ServicePlace {
  readonly name: string;
  /** The tool whose call came first. */
  readonly tool: RegisteredTool;
  readonly sessionId: string;
  readonly isSandboxed: boolean;
  readonly lane: ServiceLane;
  /** The sandbox of the last call, which is planned again only if its inputs have changed. */
  sandbox: CallSandbox | undefined;
}

/** What the pool needs besides. */
interface Services extends ServicePool {
  call(call: PreparedCall): Promise<CallResult | undefined>;
  /** Ends all services and starts no more. */
  close(): Promise<void>;
}

/** Creates the services. While they do nothing they do not keep the host alive, and they end with it. */
function servicePool(): Services {
  const places = new Map<string, ServicePlace>();
  let isClosed = false;
  let forget: (() => void) | undefined;
  const killAll = () => {
    for (const { lane } of places.values()) lane.process?.kill();
  };
  const changed = (process: ServiceProcess, isOver: boolean) => {
    if (isOver) running.delete(process);
    else running.add(process);
  };
  const placeOf = async (tool: RegisteredTool, options: CallOptions): Promise<ServicePlace> => {
    // Loaded only now: most conversations need no service.
    const { ServiceLane } = await import("./service-lane.ts");
    forget ??= atExit(killAll);
    const { sessionId, sandbox } = options;
    const key = serviceKeyOf(tool, options);
    const place = places.get(key) ?? {
      name: tool.schema.ikigai?.service ?? "",
      ...{ tool, sessionId, isSandboxed: sandbox !== undefined, sandbox: undefined },
      lane: new ServiceLane(() => running.size < maxServices, changed),
    };
    places.set(key, place);
    return place;
  };
  const list = () => [...places.values()].flatMap((place) => infoOf(place) ?? []);
  const end = async (passes: (place: ServicePlace) => boolean) => {
    const ended = [...places.values()].filter(passes);
    await Promise.all(ended.map(({ lane }) => lane.refresh()));
  };
  const serves: ServicePool["serves"] = (tool, expected) => !isClosed && whyOneShot(tool, expected) === undefined;
  const take = async ({ tool, limits, options }: PreparedCall): Promise<TakenService> => {
    const { home, signal, onProgress } = options;
    const place = await placeOf(tool, options);
    if (isClosed) return { kind: "interrupted" };
    return place.lane.take({
      ...{ name: place.name, tool, home, signal },
      report: (progress) => onProgress?.(progress),
      commandOf(starter) {
        place.sandbox = callSandbox(starter, options, place.sandbox);
        const command = commandFor(starter, limits, options, place.sandbox);
        return "failure" in command ? command : sharedCommand(command);
      },
    });
  };

  return {
    serves,
    list,
    refresh: () => end(() => true),
    retain: (tools) => end(({ tool }) => !tools.some((one) => serviceOf(one) === serviceOf(tool))),
    endSession: (sessionId) => end((place) => place.sessionId === sessionId),
    distrust: () => end(({ tool }) => tool.trusted !== undefined),
    status(tool, expected) {
      const name = tool.schema.ikigai?.service;
      if (name === undefined) return undefined;
      const whyNot = whyOneShot(tool, expected);
      const directory = dirname(tool.identity.realPath);
      const own = list().filter((service) => service.name === name && service.directory === directory);
      return { name, ...(whyNot !== undefined && { whyNot }), running: own };
    },
    async call(call) {
      if (!serves(call.tool, call.options)) return undefined;
      const { callInService } = await import("./service-call.ts");
      return callInService(call, () => take(call));
    },
    async close() {
      isClosed = true;
      await end(() => true);
      forget?.();
    },
  };
}

/** Equal for calls that one process answers: of one service, in one conversation and under one policy. */
function serviceKeyOf(tool: RegisteredTool, { sandbox, sessionId, projectDir, cwd }: CallOptions): string {
  return JSON.stringify([serviceOf(tool), sandbox, sessionId, projectDir, cwd]);
}

/** Equal for tools that share a service: in one directory, of one scope. */
function serviceOf({ identity, schema, scope }: RegisteredTool): string {
  return JSON.stringify([dirname(identity.realPath), schema.ikigai?.service, scope]);
}

function infoOf({ name, tool, isSandboxed, lane }: ServicePlace): ServiceInfo | undefined {
  const { process } = lane;
  if (!process) return undefined;
  const { pid, startedAt, callCount, state, log } = process;
  return {
    ...{ name, isSandboxed, pid, startedAt, calls: callCount, isReady: state === "ready" },
    directory: dirname(tool.identity.realPath),
    ...(log.path !== undefined && { log: log.path }),
    end: () => process.end(),
  };
}

/** Returns the same for a tool whose calls go to its service. */
function whyOneShot(tool: RegisteredTool, circumstances: ServedCircumstances): string | undefined {
  return tool.schema.ikigai?.service === undefined ? "it names no service" : whyAlone(tool, circumstances);
}

/** Below this much available memory, in bytes, no process is kept. */
const scarceBytes = 268_435_456;

/** Whether so little memory is available that no process is kept waiting. */
function isMemoryScarce(): boolean {
  return process.availableMemory() < scarceBytes;
}
