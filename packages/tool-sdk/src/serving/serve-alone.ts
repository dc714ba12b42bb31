import { writeAll } from "@ikigai/system";
import { answerCall } from "../answer-call.ts";
import type { BuiltTool } from "../any-tool.ts";
import { readArguments } from "../read-arguments.ts";
import { exitAfter, untilAnswered } from "../report-failure.ts";
import type { ServiceDefinition } from "../service-definition.ts";
import type { StopSignal } from "../stop-signal.ts";
import { processContext } from "../tool-context.ts";
import { closeState } from "./close-state.ts";

/**
 * Answers one call of a tool that has a service, without it: opens the state, runs the call, closes the state. Exits then, even if
 * something is still open.
 */
export async function serveAlone<State>(
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
