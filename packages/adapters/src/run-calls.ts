// Runs a model's calls for the adapters: a few at a time, each with the caller's permission and signal.

import { randomUUID } from "node:crypto";
import {
  callTool,
  type ExecuteOptions,
  failedOutcome,
  findTool,
  type Outcome,
  type RegisteredTool,
  type Registry,
} from "@ikigai/core";
import { limitParallel } from "@ikigai/system";

/** A model's call. */
export interface ModelCall {
  /** The tool's name, as the model wrote it. */
  readonly name: string;
  /** The arguments as the model wrote them: JSON, or not. */
  readonly arguments: string;
}

/** Options of a model's calls. All have defaults, such as the process's own directory and environment. */
export interface CallOptions extends Omit<ExecuteOptions, "callId"> {
  /**
   * Decides whether a call may run; without it every call runs. `false` denies it, a text denies it and tells the model why. Called
   * in parallel for the calls of one answer.
   */
  readonly permit?: (call: ModelCall, tool: RegisteredTool) => boolean | string | Promise<boolean | string>;
}

/** Most tools that run at once. A model that asks for fifty files must not start fifty processes. */
const maxParallelCalls = 8;

/** Runs one call of a model. Never rejects, unless `permit` does. */
export type RunCall = (call: ModelCall, signal?: AbortSignal) => Promise<Outcome>;

/** Returns a function that runs a model's calls, a limited number at once. The signals of the options and of the call both end a call. */
export function callRunner(registry: Registry, { permit, ...options }: CallOptions): RunCall {
  const { sessionId = randomUUID(), answerBytes = "declared" as const } = options;
  const limit = limitParallel(maxParallelCalls);
  return (call, signal) =>
    limit(async () => {
      const refusal = await refusalOf(call, registry, permit);
      // Without the model's own call id, which two conversations of one program may share.
      const circumstances = { ...options, answerBytes, sessionId, signal: both(options.signal, signal) };
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
  return failedOutcome("TOOL_DENIED", `The program denied this call${words}`);
}

function both(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}
