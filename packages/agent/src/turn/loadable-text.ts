import type { Registry } from "@ikigai/core";
import { selectTools, shareOfWindow, type WindowOf } from "./sent-tools.ts";
import type { PromptParts } from "./system-prompt.ts";

/** With more, a model finds one by words. */
const maxNamedTools = 1_000;
const maxListedSkills = 200;

/** The share of the context window for the list of skills. */
const skillsShare = 0.02;

/** Returns the parts of the system prompt about what can be loaded; none if there is nothing, or no tool to load it with. */
export function loadableParts(registry: Registry, window: WindowOf): PromptParts {
  const { deferred, loader } = selectTools(registry, window);
  if (loader === undefined) return {};
  // Scripts come with their skill.
  const names = deferred.filter(({ skill }) => skill === undefined).map(({ name }) => name);
  return {
    ...(registry.skills.length > 0 && { Skills: skillsText(loader, registry.skills, window) }),
    ...(names.length > 0 && { "Tools that are not loaded": toolsText(loader, names) }),
  };
}

function skillsText(loader: string, skills: Registry["skills"], window: WindowOf): string {
  const lines = skills.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
  const isShort = skills.length <= maxListedSkills && lines.length <= shareOfWindow(window, skillsShare);
  const list = isShort ? `\n${lines}` : ` There are ${skills.length}: call ${loader} with a query to find one.`;
  return `Skills\nInstructions for kinds of tasks. Before a task that one of them is about, call ${loader} with its name and follow what it returns.${list}`;
}

function toolsText(loader: string, names: readonly string[]): string {
  if (names.length > maxNamedTools) {
    return `Not loaded: ${names.length} more tools. Call ${loader} with a query to find one, then call it.`;
  }
  return `Not loaded: ${names.join(", ")}. Call ${loader} with the name of such a tool, or with a query, before you call it.`;
}
