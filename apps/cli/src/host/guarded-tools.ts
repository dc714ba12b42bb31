import { type AgentContext, namesTool, parseRule } from "@ikigai/agent/internal";
import { isForTool } from "@ikigai/core/internal";
import type { IsGuarded } from "./tool-commands.ts";

/**
 * Finds out which tools must be called as such: those that a rule which asks or denies names, or that have hooks of their own. Rules
 * and hooks of all tools see a command in bash as a call of bash.
 */
export async function guardedTools({
  permission,
  hooks,
}: Pick<AgentContext, "permission" | "hooks">): Promise<IsGuarded> {
  const { rules, limits = [] } = permission;
  const names = [...rules, ...limits.flatMap((limit) => limit.rules ?? [])]
    .filter(({ verdict }) => verdict !== "allow")
    .flatMap(({ rule }) => {
      const parts = parseRule(rule);
      return parts && parts.reach === undefined ? [parts.tool] : [];
    })
    .filter((tool) => tool !== "*");
  const guards = hooks.finder.isEmpty() ? [] : (await hooks.finder.find("before-call")).hooks;
  const ofTools = guards.filter(({ tool }) => tool !== undefined);
  return (name) => names.some((tool) => namesTool({ tool }, name)) || ofTools.some((hook) => isForTool(hook, name));
}
