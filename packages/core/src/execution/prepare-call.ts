import type { JsonObject, PlainInput } from "@ikigai/protocol";
import type { RegisteredTool } from "../registry/registry.ts";
import { argumentsFor, type CallArguments, parseArguments } from "./call-arguments.ts";
import { type CallLimits, callLimits } from "./call-limits.ts";
import type { AheadProcess, CallOptions, CallSandbox } from "./call-options.ts";
import { callSandbox } from "./call-sandbox.ts";
import { callVariables, placeVariables } from "./call-variables.ts";
import { dataDirectory } from "./data-directory.ts";
import { type PlainRefusal, plainStart } from "./plain-call.ts";

/** A call with every decision made before it starts. */
export interface PreparedCall {
  readonly tool: RegisteredTool;
  /** The tool's stdin. */
  readonly text: string;
  /** Whether the text is known to be one JSON object. */
  readonly isObject: boolean;
  readonly limits: CallLimits;
  /** The process's `IKIGAI_CALL_ID`: that of the spare process if one serves the call. */
  readonly callId: string;
  /** The variables needed to repeat the call, except those that follow from the tool or the call id. */
  readonly variables: Readonly<Record<string, string>>;
  readonly options: CallOptions;
  readonly sandbox: CallSandbox | undefined;
  /** What the program of a plain tool gets, or why the call is refused. */
  readonly plain?: PlainInput | PlainRefusal | undefined;
  /** The process waiting for these arguments, if any. */
  readonly ahead: AheadProcess | undefined;
}

/**
 * Decides everything about a call, for the log and for `executeCall`, which must be called next. Never throws; starts nothing.
 *
 * @param given the arguments: parsed, or as text, which is then parsed only if a limit depends on it.
 */
export function prepareCall(tool: RegisteredTool, given: string | CallArguments, options: CallOptions): PreparedCall {
  const args = argumentsFor(tool, given);
  const { projectDir, home, env = process.env, spares } = options;
  const planned = options.ahead?.sandbox ?? spares?.served.plannedFor(tool, options);
  const sandbox = callSandbox(tool, options, planned);
  // Some models send a call in one piece, so nothing was started ahead.
  const ahead = options.ahead ?? spares?.take(tool, options, sandbox);
  const callId = ahead?.callId ?? options.callId;
  const dataDir = home === undefined ? undefined : dataDirectory(tool, { home, projectDir });
  const value = valueFor(tool, args);
  const limits = callLimits(tool, value, options);
  return {
    tool,
    text: typeof args === "string" ? args : args.text,
    isObject: typeof args !== "string",
    limits,
    callId,
    variables: {
      ...placeVariables(env),
      ...callVariables(tool, limits, projectDir),
      ...(dataDir !== undefined && { IKIGAI_DATA_DIR: dataDir }),
      ...(callId !== options.callId && { IKIGAI_CALL_ID: callId }),
    },
    options: { ...options, callId },
    sandbox,
    plain: tool.plain && plainStart(tool, tool.plain, value, options),
    ahead,
  };
}

function valueFor({ schema, plain }: RegisteredTool, args: string | CallArguments): JsonObject | undefined {
  if (typeof args !== "string") return args.value;
  return schema.ikigai?.timeoutArgument === undefined && !plain ? undefined : parseArguments(args)?.value;
}
