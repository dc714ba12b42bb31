import { writeAll } from "@ikigai/system";
import { answerCall } from "./answer-call.ts";
import type { BuiltTool } from "./any-tool.ts";
import { readArguments } from "./read-arguments.ts";
import { exitAfter, untilAnswered } from "./report-failure.ts";
import type { ServiceDefinition, ToolService } from "./service-definition.ts";
import { closeState } from "./serving/close-state.ts";
import { serveOverlapping } from "./serving/serve-overlapping.ts";
import type { StopSignal } from "./stop-signal.ts";
import { processContext } from "./tool-context.ts";

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
