import { hasOpenNeeds } from "../place/tool-needs.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { firstChange } from "../registry/stamps.ts";
import type { ExpectedCall } from "./call-options.ts";
import { failedOutcome, type Outcome } from "./outcome.ts";

/**
 * Returns why a call must not start: it was cancelled, the user has not agreed to what the tool needs in the sandbox, or a trusted file
 * has changed.
 */
export function refuse(tool: RegisteredTool, { signal, sandbox }: ExpectedCall): Outcome | undefined {
  if (signal?.aborted) return failedOutcome("TOOL_CANCELLED", `Tool '${tool.name}' was interrupted by the user`);
  if (sandbox && !tool.launcher && hasOpenNeeds(tool, sandbox.isReadOnly === true))
    return unavailable(
      tool,
      `was not run in the sandbox: the user has not approved what it needs; they can, with: ikigai tool allow ${tool.name}`,
    );
  const changed = tool.trusted && firstChange(tool.trusted);
  if (changed === undefined) return undefined;
  return unavailable(tool, `was not run: ${changed} has changed since you trusted it; review it and run: ikigai trust`);
}

export function unavailable({ name }: RegisteredTool, what: string): Outcome {
  return failedOutcome("TOOL_UNAVAILABLE", `Tool '${name}' ${what}`);
}
