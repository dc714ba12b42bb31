import { readJsonObject } from "@ikigai/system";
import { type FailedTool, findTool, nearestName, type Registry } from "../registry/registry.ts";
import { catalogOf } from "../skills/catalog.ts";
import { type ExecuteOptions, withDefaults } from "./call-options.ts";
import { executeCall } from "./execute.ts";
import { failedOutcome, type Outcome } from "./outcome.ts";
import { prepareCall } from "./prepare-call.ts";

/**
 * Calls a tool by name with the arguments a model wrote.
 *
 * Never rejects: failures are in the envelope. Adds to the codes of `execute`: `TOOL_NOT_FOUND`, and `INVALID_PARAMS` if the
 * arguments are not a JSON object. Empty arguments count as `{}`, since some models send them for tools without parameters.
 *
 * @param registry what `discover` returned.
 * @param name the tool's name, as the model uses it.
 * @param args the arguments as JSON text.
 * @param options limits, directory and environment of the call; all have defaults.
 *
 * @example
 * const { json, durationMs } = await callTool(registry, "file_read", '{"path":"README.md"}', { cwd: projectDir });
 * messages.push({ role: "tool", content: json });
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
  if (reading.ok) {
    const { home, catalog = () => catalogOf(registry, home) } = options;
    return executeCall(prepareCall(tool, { text, value: reading.value }, withDefaults({ ...options, catalog })));
  }
  const problem = reading.isJson ? reading.problem : `expected a JSON object, but ${reading.problem}`;
  return failedOutcome("INVALID_PARAMS", `Arguments of tool '${name}': ${problem}`);
}

/**
 * The outcome for a tool that is not in the registry: says why it was not loaded, or suggests the nearest name. A tool whose
 * launcher failed is `TOOL_UNAVAILABLE`, every other one `TOOL_NOT_FOUND`.
 */
export function notFound(registry: Registry, name: string): Outcome {
  const launched = registry.failed.find((failure) => failure.name === name && failure.isLaunched);
  if (launched) {
    const { path, detail } = launched;
    return failedOutcome("TOOL_UNAVAILABLE", `Tool '${name}' cannot be started through "${path}": ${detail}`);
  }
  return failedOutcome("TOOL_NOT_FOUND", `Tool '${name}' not found${whatThereIs(registry, name)}`);
}

const notTrusted =
  "the project's tool of this name was not loaded: untrusted: the user has not trusted the project's present files";

/**
 * Says why a tool that failed to load is missing. Of a tool of an untrusted project it says no more than that: its path is the project's
 * text, and a model must not learn how to trust it; that is the user's decision.
 */
function whatThereIs(registry: Registry, name: string): string {
  const failures = registry.failed.filter((failure) => failure.name === name);
  const isUntrusted = ({ scope, reason }: FailedTool) =>
    reason === "untrusted" || (scope === "project" && registry.trust !== "trusted");
  const failed = failures.find((failure) => !isUntrusted(failure)) ?? failures[0];
  if (failed && isUntrusted(failed)) return `; ${notTrusted}`;
  if (failed) return `; ${failed.path} was not loaded: ${failed.reason}: ${failed.detail}`;
  const nearest = nearestName(registry, name);
  return nearest === undefined ? "" : `; the nearest name is '${nearest}'`;
}
