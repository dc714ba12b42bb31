import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { readJsonObject } from "@ikigai/system";
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
export const outsideArgument = "outside";

/** Returns the arguments that a tool gets, and why the call must run outside the sandbox; that is absent if it need not. */
export function splitOutside(
  tool: Pick<RegisteredTool, "schema">,
  value: JsonObject,
): { readonly rest: JsonObject; readonly outside?: string } {
  if (!Object.hasOwn(value, outsideArgument) || ownsOutside(tool)) return { rest: value };
  const { [outsideArgument]: outside, ...rest } = value;
  // Models fill in what they need not.
  const isEmpty = outside === null || outside === false || (typeof outside === "string" && outside.trim() === "");
  if (isEmpty) return { rest };
  return { rest, outside: typeof outside === "string" ? outside : JSON.stringify(outside) };
}

/** Whether a tool has a parameter of this name, which is then its own. */
export function ownsOutside({ schema: { parameters } }: Pick<RegisteredTool, "schema">): boolean {
  return isJsonObject(parameters.properties) && Object.hasOwn(parameters.properties, outsideArgument);
}

/** Returns what a tool gets of a call's arguments. */
export function argumentsFor(
  tool: Pick<RegisteredTool, "schema">,
  args: string | CallArguments,
): string | CallArguments {
  const parsed = typeof args !== "string" ? args : args.includes(outsideArgument) ? parseArguments(args) : undefined;
  if (parsed === undefined) return args;
  const { rest } = splitOutside(tool, parsed.value);
  return rest === parsed.value ? args : { text: JSON.stringify(rest), value: rest };
}
