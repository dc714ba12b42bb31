// Services of TypeScript tools: one process with a state for all calls of a conversation, or for one call without such a host.
import { basename } from "node:path";
import { toolSuffix } from "@ikigai/protocol";
import { writeAll } from "@ikigai/system";
import { answerCall } from "./answer.ts";
import { readArguments, toArguments } from "./arguments.ts";
import type { AnyService, BuiltTool } from "./built-tool.ts";
import { exitAfter, InvalidCall, untilAnswered } from "./failure.ts";
import { closeState, runService, type ServiceDefinition } from "./serving/service-loop.ts";
import type { StopSignal } from "./stop-signal.ts";
import { createContext, processContext } from "./tool-context.ts";

/** A service, made by `defineService`. */
export interface ToolService<State> extends ServiceDefinition<State>, AnyService {}

/**
 * Returns a service for `defineTool`. One process answers the calls of a conversation, which may overlap, with the state that
 * `open` made; without a host that runs services, each call opens and closes its own. Never throws.
 *
 * @typeParam State what it keeps.
 */
export function defineService<State>(definition: ServiceDefinition<State>): ToolService<State> {
  return {
    ...definition,
    serve: (built, stop) =>
      process.env.IKIGAI_SERVE === "1" ? serveOverlapping(definition, built) : serveAlone(definition, built, stop),
  };
}

/** Answers the calls of a conversation. */
function serveOverlapping<State>(definition: ServiceDefinition<State>, built: BuiltTool): Promise<never> {
  return runService({
    ...definition,
    answer({ frame, state, stop, progress }) {
      const { tool, env } = frame;
      if (!namesOf(built).includes(tool)) throw new InvalidCall(`This service has no tool "${tool}".`);
      const args = toArguments(frame.arguments, built.compiled, built.tool);
      return answerCall(built, args, createContext({ ...process.env, ...env }, { state, stop, progress }));
    },
  });
}

/** The names by which a host may call the tool: its own, and that of a renamed file. */
function namesOf({ tool }: BuiltTool): readonly (string | undefined)[] {
  const file = basename(process.argv[1] ?? "", toolSuffix).replaceAll("-", "_");
  return [tool.name, file, process.env.IKIGAI_TOOL_NAME];
}

/**
 * Answers one call of a tool that has a service, without it: opens the state, runs the call, closes the state. Exits then, even if
 * something is still open.
 */
async function serveAlone<State>(
  service: ServiceDefinition<State>,
  { tool, compiled }: BuiltTool,
  stop: StopSignal,
): Promise<never> {
  const run = async (args: never) => {
    const state = await service.open(processContext(stop, undefined));
    try {
      return await tool.run(args, processContext(stop, state) as never);
    } finally {
      await closeState(service, state);
    }
  };
  try {
    const args = readArguments(compiled, tool);
    const call = answerCall({ tool: { ...tool, run }, compiled }, args, processContext(stop, undefined));
    writeAll(1, await untilAnswered(call));
  } catch (error) {
    await exitAfter(error, stop);
  }
  process.exit(0);
}
