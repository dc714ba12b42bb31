import { dirname } from "node:path";
import type { RegisteredTool } from "../../registry/registry.ts";
import type { CallOptions, CallSandbox, ServicePool } from "../call-options.ts";
import { callSandbox } from "../call-sandbox.ts";
import { commandFor, sharedCommand } from "../command-for.ts";
import type { ServiceInfo } from "./service-info.ts";
import { ServiceLane } from "./service-lane.ts";
import { maxServices } from "./service-limits.ts";
import { serviceLogPath } from "./service-log.ts";
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
  const killAll = () => {
    for (const { lane } of places.values()) lane.process?.kill();
  };
  const changed = (process: ServiceProcess, isOver: boolean) => {
    if (isOver) running.delete(process);
    else running.add(process);
  };
  const placeOf = (tool: RegisteredTool, options: CallOptions): Place => {
    if (places.size === 0) process.once("exit", killAll);
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
  const refresh: ServicePool["refresh"] = async (passes = () => true) => {
    const ended = [...places.values()].filter(({ tool, sessionId }) => passes(tool, sessionId));
    await Promise.all(ended.map(({ lane }) => lane.refresh()));
  };

  return {
    serves: (tool, expected) => !isClosed && whyOneShot(tool, expected) === undefined,
    list,
    refresh,
    status(tool, expected) {
      const name = tool.schema.ikigai?.service;
      if (name === undefined) return undefined;
      const whyNot = whyOneShot(tool, expected);
      const directory = dirname(tool.identity.realPath);
      const own = list().filter((service) => service.name === name && service.directory === directory);
      return { name, ...(whyNot !== undefined && { whyNot }), running: own };
    },
    take(tool, limits, options) {
      const { home, signal, onProgress } = options;
      const place = placeOf(tool, options);
      return place.lane.take({
        tool,
        logPath: home === undefined ? undefined : serviceLogPath(home, place.name),
        signal,
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
      await refresh();
      process.off("exit", killAll);
    },
  };
}

/** Equal for calls that one process answers: tools in one directory, of one scope, in one conversation and under one policy. */
function keyOf(
  { identity, schema, scope }: RegisteredTool,
  { sandbox, sessionId, projectDir, cwd }: CallOptions,
): string {
  const own = [dirname(identity.realPath), schema.ikigai?.service, scope];
  return JSON.stringify([...own, sandbox, sessionId, projectDir, cwd]);
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
