import { randomUUID } from "node:crypto";
import {
  callTool,
  type ExecuteOptions,
  findTool,
  type Outcome,
  type RegisteredTool,
  type Registry,
} from "@ikigai/core";
import { failedOutcome } from "@ikigai/core/internal";
import { limitParallel } from "@ikigai/system";

/** A call as a model makes it. */
export interface ModelCall {
  readonly name: string;
  /** JSON, or what the model wrote instead. */
  readonly arguments: string;
}

/** The circumstances of a model's calls. Everything has a default: the process's own directory and environment. */
export interface CallOptions extends Omit<ExecuteOptions, "callId"> {
  /**
   * Says whether a call may run; without it every call runs. `false` refuses it, a text refuses it and tells the model why.
   * Calls of one answer are asked about side by side.
   */
  readonly permit?: (call: ModelCall, tool: RegisteredTool) => boolean | string | Promise<boolean | string>;
}

/** How many tools run at once. A model that asks for fifty files must not start fifty processes. */
const maxParallelCalls = 8;

/** Runs one call of a model. Never rejects, unless `permit` does. */
export type RunCall = (call: ModelCall, signal?: AbortSignal) => Promise<Outcome>;

/** What runs the calls of a model, so many at once. The signals of the options and of the call both end it. */
export function callRunner(registry: Registry, { permit, ...options }: CallOptions): RunCall {
  const { sessionId = randomUUID() } = options;
  const limit = limitParallel(maxParallelCalls);
  return (call, signal) =>
    limit(async () => {
      const refusal = await refusalOf(call, registry, permit);
      // Without the model's own id of the call, which may come twice, in two conversations of one program.
      const circumstances = { ...options, sessionId, signal: both(options.signal, signal) };
      return refusal ?? callTool(registry, call.name, call.arguments, circumstances);
    });
}

async function refusalOf(
  call: ModelCall,
  registry: Registry,
  permit: CallOptions["permit"],
): Promise<Outcome | undefined> {
  const tool = findTool(registry, call.name);
  const answer = tool && permit ? await permit(call, tool) : true;
  if (answer === true) return undefined;
  const words = answer === false ? "." : ` and says: ${answer}`;
  return failedOutcome("TOOL_DENIED", `The user refused this call${words}`);
}

function both(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}
