import type { JsonObject } from "@ikigai/protocol";
import type { RegisteredTool } from "../registry/registry.ts";
import { type CallArguments, parseArguments } from "./call-arguments.ts";
import { type CallLimits, callLimits } from "./call-limits.ts";
import type { AheadProcess, CallOptions, CallSandbox } from "./call-options.ts";
import { callSandbox } from "./call-sandbox.ts";
import { callVariables, placeVariables } from "./call-variables.ts";

/** A call with everything that is decided before it is made. */
export interface PreparedCall {
  readonly tool: RegisteredTool;
  /** What the tool gets on stdin. */
  readonly text: string;
  readonly limits: CallLimits;
  /** What the call's process is told as `IKIGAI_CALL_ID`: not the id that was asked for when a spare process serves the call. */
  readonly callId: string;
  /** The variables that have to be kept to make the same call again: those that neither the tool nor the call's id tells. */
  readonly variables: Readonly<Record<string, string>>;
  readonly options: CallOptions;
  readonly sandbox: CallSandbox | undefined;
  /** The process that waits for these arguments, if one does. */
  readonly ahead: AheadProcess | undefined;
}

/**
 * Decides what a call is given: for the log, and for `executeCall`, which has to follow. Never throws, and starts nothing.
 *
 * @param args as parsed by the caller, or only their text, which is then parsed if a limit depends on it.
 */
export function prepareCall(tool: RegisteredTool, args: string | CallArguments, options: CallOptions): PreparedCall {
  const { projectDir, env = process.env, spares } = options;
  const sandbox = callSandbox(tool, options, options.ahead?.sandbox);
  // Some models send a call whole, so that nothing was started ahead.
  const ahead = options.ahead ?? spares?.take(tool, options, sandbox);
  const callId = ahead?.callId ?? options.callId;
  const limits = callLimits(tool, valueFor(tool, args), options);
  return {
    tool,
    text: typeof args === "string" ? args : args.text,
    limits,
    callId,
    variables: {
      ...placeVariables(env),
      ...callVariables(tool, limits, projectDir),
      ...(callId !== options.callId && { IKIGAI_CALL_ID: callId }),
    },
    options: { ...options, callId },
    sandbox,
    ahead,
  };
}

function valueFor({ schema }: RegisteredTool, args: string | CallArguments): JsonObject | undefined {
  if (typeof args !== "string") return args.value;
  return schema.ikigai?.timeoutArgument === undefined ? undefined : parseArguments(args)?.value;
}
