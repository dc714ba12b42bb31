import { readJsonObject } from "@ikigai/system";
import { findTool, nearestName } from "../registry/find-tool.ts";
import type { Registry } from "../registry/registry.ts";
import { type ExecuteOptions, withDefaults } from "./call-options.ts";
import { executeCall } from "./execute.ts";
import { failedOutcome, type Outcome } from "./outcome.ts";
import { prepareCall } from "./prepare-call.ts";

/**
 * Calls the tool of this name as a model asked for it.
 *
 * Never rejects. Beside the codes of `execute`: `TOOL_NOT_FOUND`, and `INVALID_PARAMS` when the arguments are not a JSON
 * object. No arguments at all are taken for `{}`: that is how some models call a tool without parameters.
 */
export async function callTool(
  registry: Registry,
  name: string,
  args: string,
  options: ExecuteOptions = {},
): Promise<Outcome> {
  const tool = findTool(registry, name);
  if (tool === undefined) return notFound(registry, name);
  const text = args.trim() === "" ? "{}" : args;
  const reading = readJsonObject(Buffer.from(text));
  if (reading.ok) return executeCall(prepareCall(tool, { text, value: reading.value }, withDefaults(options)));
  const problem = reading.isJson ? reading.problem : `expected a JSON object, but ${reading.problem}`;
  return failedOutcome("INVALID_PARAMS", `Arguments of tool '${name}': ${problem}`);
}

/** The outcome of a call of a tool that there is not: names what was not loaded, or the nearest name. */
export function notFound(registry: Registry, name: string): Outcome {
  return failedOutcome("TOOL_NOT_FOUND", `Tool '${name}' not found${whatThereIs(registry, name)}`);
}

/**
 * Whoever asks for a tool that could not be loaded wants to know why. Not of a project that nobody trusts: what changes that
 * is the user's to hear, and not a model's to run.
 */
function whatThereIs(registry: Registry, name: string): string {
  const failed = registry.failed.find((failure) => failure.name === name && failure.reason !== "untrusted");
  if (failed) return `; ${failed.path} was not loaded: ${failed.reason}: ${failed.detail}`;
  const nearest = nearestName(registry, name);
  return nearest === undefined ? "" : `; the nearest name is '${nearest}'`;
}
