// The services of a host: one process for each service, conversation and policy, and which calls go to it.

import { dirname } from "node:path";
import { atExit } from "@ikigai/system";
import type { CallOptions, CallResult, CallSandbox, PreparedCall } from "../../call/options.ts";
import { callSandbox, commandFor, sharedCommand } from "../../call/prepare-call.ts";
import type { ServedCircumstances, ServiceInfo, ServicePool } from "../../call/worker-types.ts";
import type { RegisteredTool } from "../../registry/registry.ts";
import { whyAlone } from "../reuse.ts";
import type { ServiceLane, TakenService } from "./lane.ts";
import type { ServiceProcess } from "./process.ts";
import { maxServices } from "./replies.ts";

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
interface OwnServicePool extends ServicePool {
  call(call: PreparedCall): Promise<CallResult | undefined>;
  /** Ends all services and starts no more. */
  close(): Promise<void>;
}

/** Creates the services. While they do nothing they do not keep the host alive, and they end with it. */
export function servicePool(): OwnServicePool {
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
    const { ServiceLane } = await import("./lane.ts");
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
  const serves: ServicePool["serves"] = (tool, expected) => !isClosed && whyNoService(tool, expected) === undefined;
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
      const whyNot = whyNoService(tool, expected);
      const directory = dirname(tool.identity.realPath);
      const own = list().filter((service) => service.name === name && service.directory === directory);
      return { name, ...(whyNot !== undefined && { whyNot }), running: own };
    },
    async call(call) {
      if (!serves(call.tool, call.options)) return undefined;
      const { callInService } = await import("./call.ts");
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
function whyNoService(tool: RegisteredTool, circumstances: ServedCircumstances): string | undefined {
  return tool.schema.ikigai?.service === undefined ? "it names no service" : whyAlone(tool, circumstances);
}
