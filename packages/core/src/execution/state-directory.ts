import type { RegisteredTool } from "../registry/registry.ts";
import type { ExecuteOptions } from "./call-options.ts";

/**
 * Returns the session's directory for a tool that declares `state`; `undefined` for a project's tool, one that runs elsewhere, and a
 * service, which may outlive the session's directory. Creates nothing.
 */
export function stateDirectory(
  { scope, schema, launcher }: RegisteredTool,
  { stateDir }: Pick<ExecuteOptions, "stateDir">,
): string | undefined {
  const { state, service } = schema.ikigai ?? {};
  return state === true && scope !== "project" && !launcher && service === undefined ? stateDir : undefined;
}
