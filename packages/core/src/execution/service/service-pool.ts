import { dirname } from "node:path";
import { atExit } from "@ikigai/system";
import type { RegisteredTool } from "../../registry/registry.ts";
import type { CallOptions, CallSandbox, ServicePool } from "../call-options.ts";
import { callSandbox } from "../call-sandbox.ts";
import { commandFor, sharedCommand } from "../command-for.ts";
import type { ServiceInfo } from "./service-info.ts";
import type { ServiceLane } from "./service-lane.ts";
import { maxServices } from "./service-limits.ts";
import type { ServiceProcess } from "./service-process.ts";
import { whyOneShot } from "./why-one-shot.ts";

/** The services of this host that are not over. */
const running = new Set<ServiceProcess>();

/** A service, which may be running. */
interface Place {
  readonly name: string;
  /** The tool whose call came first. */
  readonly tool: RegisteredTool;
  readonly sessionId: string;
  readonly isSandboxed: boolean;
  readonly lane: ServiceLane;
  /** The sandbox of the last call, which is planned again only if its inputs have changed. */
  sandbox: CallSandbox | undefined;
}

/** Creates a pool of services. While they do nothing they do not keep the host alive, and they end with it. */
export function servicePool(): ServicePool {
  const places = new Map<string, Place>();
  let isClosed = false;
  let forget: (() => void) | undefined;
  const killAll = () => {
    for (const { lane } of places.values()) lane.process?.kill();
  };
  const changed = (process: ServiceProcess, isOver: boolean) => {
    if (isOver) running.delete(process);
    else running.add(process);
  };
  const placeOf = async (tool: RegisteredTool, options: CallOptions): Promise<Place> => {
    // Loaded only now: most conversations need no service.
    const { ServiceLane } = await import("./service-lane.ts");
    forget ??= atExit(killAll);
    const { sessionId, sandbox } = options;
    const key = keyOf(tool, options);
    const place = places.get(key) ?? {
      name: tool.schema.ikigai?.service ?? "",
      ...{ tool, sessionId, isSandboxed: sandbox !== undefined, sandbox: undefined },
      lane: new ServiceLane(() => running.size < maxServices, changed),
    };
    places.set(key, place);
    return place;
  };
  const list = () => [...places.values()].flatMap((place) => infoOf(place) ?? []);
  const end = async (passes: (place: Place) => boolean) => {
    const ended = [...places.values()].filter(passes);
    await Promise.all(ended.map(({ lane }) => lane.refresh()));
  };

  return {
    serves: (tool, expected) => !isClosed && whyOneShot(tool, expected) === undefined,
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
    async take(tool, limits, options) {
      const { home, signal, onProgress } = options;
      const place = await placeOf(tool, options);
      if (isClosed) return { kind: "interrupted" };
      return place.lane.take({
        ...{ name: place.name, tool },
        ...{ home, signal },
        report: (progress) => onProgress?.(progress),
        commandOf(starter) {
          place.sandbox = callSandbox(starter, options, place.sandbox);
          const command = commandFor(starter, limits, options, place.sandbox);
          return "failure" in command ? command : sharedCommand(command);
        },
      });
    },
    async close() {
      isClosed = true;
      await end(() => true);
      forget?.();
    },
  };
}

/** Equal for calls that one process answers: of one service, in one conversation and under one policy. */
function keyOf(tool: RegisteredTool, { sandbox, sessionId, projectDir, cwd }: CallOptions): string {
  return JSON.stringify([serviceOf(tool), sandbox, sessionId, projectDir, cwd]);
}

/** Equal for tools that share a service: in one directory, of one scope. */
function serviceOf({ identity, schema, scope }: RegisteredTool): string {
  return JSON.stringify([dirname(identity.realPath), schema.ikigai?.service, scope]);
}

function infoOf({ name, tool, isSandboxed, lane }: Place): ServiceInfo | undefined {
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
