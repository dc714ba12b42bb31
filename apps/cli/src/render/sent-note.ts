import { selectTools } from "@ikigai/agent/internal";
import type { RegisteredTool, Registry } from "@ikigai/core";
import { sanitiseLine } from "./sanitise.ts";

/** Why the model does not have a tool from the start, one sentence for each such tool, by name. Leaves out those that are only too many. */
export function sentNotes(registry: Registry): ReadonlyMap<string, string> {
  const { core, deferred } = selectTools(registry, undefined);
  const notes = new Map<string, string>();
  for (const tool of registry.tools) {
    const note = core.includes(tool) ? undefined : whyNotSent(tool, deferred);
    if (note !== undefined) notes.set(tool.name, note);
  }
  return notes;
}

/** What `tool show` and `/tool NAME` add for such a tool; empty for others. */
export function renderSent(registry: Registry, name: string): string {
  const note = sentNotes(registry).get(name);
  return note === undefined ? "" : `Note: ${note}\n`;
}

function whyNotSent(tool: RegisteredTool, deferred: readonly RegisteredTool[]): string | undefined {
  if (tool.skill !== undefined)
    return `A script of the skill ${sanitiseLine(tool.skill)}: the model gets it when it loads the skill.`;
  // The system's own one is meant to be that way.
  if (deferred.includes(tool) || tool.scope === "system") return undefined;
  return 'Its schema declares "catalog": the model gets it only while there are tools or skills to load.';
}
