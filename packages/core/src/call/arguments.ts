// The arguments of a call, and the limits that they, the tool and the user set. In order: parsing, the argument `outside` that is the
// host's own, the limits, and both as a tool gets them.
import {
  defaultMaxOutputBytes,
  defaultTimeoutMs,
  isJsonObject,
  type JsonObject,
  maxMaxOutputBytes,
  maxOverflowBytes,
  maxTimeoutMs,
} from "@ikigai/protocol";
import { longestTimerMs, readJsonObject } from "@ikigai/system";
import type { RegisteredTool } from "../registry/registry.ts";

/** The arguments of a call, parsed once: text and value are passed on together. */
export interface CallArguments {
  /** As the model wrote them; the tool gets exactly this, without `outside`. */
  readonly text: string;
  readonly value: JsonObject;
}

/** Parses the arguments of a call; returns `undefined` unless they are one JSON object. */
export function parseArguments(text: string): CallArguments | undefined {
  const reading = readJsonObject(Buffer.from(text));
  return reading.ok ? { text, value: reading.value } : undefined;
}

/** The argument, of any tool, with which the model asks to run a call outside the sandbox: why. The tool does not get it. */
export const outsideArgument = {
  name: "outside",

  /** Whether a tool has a parameter of this name, which is then its own. */
  isOwn({ schema: { parameters } }: Pick<RegisteredTool, "schema">): boolean {
    return isJsonObject(parameters.properties) && Object.hasOwn(parameters.properties, outsideArgument.name);
  },

  /** Returns the arguments that a tool gets, and why the call must run outside the sandbox; that is absent if it need not. */
  split(
    tool: Pick<RegisteredTool, "schema">,
    value: JsonObject,
  ): { readonly rest: JsonObject; readonly outside?: string } {
    if (!Object.hasOwn(value, outsideArgument.name) || outsideArgument.isOwn(tool)) return { rest: value };
    const { [outsideArgument.name]: outside, ...rest } = value;
    // Models fill in what they need not.
    const isEmpty = outside === null || outside === false || (typeof outside === "string" && outside.trim() === "");
    if (isEmpty) return { rest };
    return { rest, outside: typeof outside === "string" ? outside : JSON.stringify(outside) };
  },
} as const;

/** Returns what a tool gets of a call's arguments. */
export function argumentsFor(
  tool: Pick<RegisteredTool, "schema">,
  args: string | CallArguments,
): string | CallArguments {
  const parsed =
    typeof args !== "string" ? args : args.includes(outsideArgument.name) ? parseArguments(args) : undefined;
  if (parsed === undefined) return args;
  const { rest } = outsideArgument.split(tool, parsed.value);
  return rest === parsed.value ? args : { text: JSON.stringify(rest), value: rest };
}

/** The limits of one call. */
export interface CallLimits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** How much of the answer is worth a model's reading; absent if no model reads it. */
  readonly answerBytes?: number;
}

/** The user's own limits, as in `ExecuteOptions`. */
interface UserLimits {
  readonly timeoutMs?: number | undefined;
  readonly maxOutputBytes?: number | undefined;
  readonly answerBytes?: number | "declared" | undefined;
}

/**
 * Returns the limits of one call. Timeout: the value of the argument named by the schema, else the user's setting, else the
 * schema's, else 30 seconds. Values from a tool or a model are capped at the protocol's maximum; the user's are not. Limits
 * that are not positive are ignored. The model's share of the answer is never more than the answer.
 *
 * @param args `undefined` for a call the model has not written yet, and for arguments that are not a JSON object.
 */
export function callLimits(
  { schema: { ikigai = {} } }: RegisteredTool,
  args: JsonObject | undefined,
  user: UserLimits,
): CallLimits {
  const asked = ikigai.timeoutArgument === undefined ? undefined : numberIn(args, ikigai.timeoutArgument);
  const timeoutMs = atMost(maxTimeoutMs, asked) ?? positive(user.timeoutMs) ?? atMost(maxTimeoutMs, ikigai.timeoutMs);
  const ownMaxBytes = positive(user.maxOutputBytes) ?? atMost(maxMaxOutputBytes, ikigai.maxOutputBytes);
  const maxOutputBytes = Math.min(ownMaxBytes ?? defaultMaxOutputBytes, maxOverflowBytes);
  const answerBytes = user.answerBytes === "declared" ? (ikigai.answerBytes ?? maxOutputBytes) : user.answerBytes;
  return {
    timeoutMs: Math.min(timeoutMs ?? defaultTimeoutMs, longestTimerMs),
    maxOutputBytes,
    ...(answerBytes !== undefined && { answerBytes: Math.min(answerBytes, maxOutputBytes) }),
  };
}

/** Returns the limits as a tool gets them. */
export function limitVariables({ timeoutMs, maxOutputBytes, answerBytes }: CallLimits) {
  return {
    IKIGAI_TIMEOUT_MS: String(timeoutMs),
    IKIGAI_MAX_OUTPUT_BYTES: String(maxOutputBytes),
    ...(answerBytes !== undefined && { IKIGAI_ANSWER_BYTES: String(answerBytes) }),
  };
}

function numberIn(args: JsonObject | undefined, name: string): number | undefined {
  const given = args && Object.hasOwn(args, name) ? args[name] : undefined;
  const value = typeof given === "string" && /^\d+$/.test(given) ? Number(given) : given;
  // Other values are for the tool to reject. Used as a limit, 1.5 or 0 would end the call before it can.
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}

function positive(limit: number | undefined): number | undefined {
  return limit !== undefined && limit > 0 ? limit : undefined;
}

function atMost(limit: number, wanted: number | undefined): number | undefined {
  return wanted === undefined ? undefined : Math.min(wanted, limit);
}
