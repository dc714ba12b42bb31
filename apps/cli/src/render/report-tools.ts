import { projectRules } from "@ikigai/agent/internal";
import { isShippedTool } from "@ikigai/core/internal";
import type { Agent } from "../host/open-agent.ts";
import { printError } from "../host/stdout.ts";
import { reportSkipped, skillProblems, untrustedNotice } from "./report-skipped.ts";
import type { LabelledRule } from "./rule-warnings.ts";

/** Reports on stderr which tools were not loaded, and which rules name none. */
export async function reportTools({ toolbox, ...agent }: Pick<Agent, "toolbox" | RuleSource>): Promise<void> {
  const registry = await toolbox.last();
  reportSkipped(registry);
  for (const problem of skillProblems(registry)) printError(`${problem}\n`);
  const untrustedSkills = untrustedNotice({ ...registry, failed: [] });
  if (untrustedSkills !== undefined) printError(`${untrustedSkills}\n`);
  const rules = labelledRules(agent);
  if (rules.length === 0) return;
  const { ruleWarnings } = await import("./rule-warnings.ts");
  for (const warning of ruleWarnings(rules, registry)) printError(`${warning}\n`);
}

type RuleSource = "allowed" | "config" | "agents";

/** The rules of the command line and the configuration. Those of another agent may name tools that this one does not have. */
export function labelledRules({ allowed, config, agents }: Pick<Agent, RuleSource>): LabelledRule[] {
  const configured = agents.ownSlot ? [] : (config.permission?.rules ?? []);
  return [
    ...allowed.map((rule) => ({ label: "--allow", rule })),
    ...configured.map(({ verdict, rule }) => ({ label: verdict, rule })),
  ];
}

/**
 * Makes sure that the rules of the command line and the configuration name tools. Waits for the tools only if a rule names one that
 * does not ship with ikigai.
 *
 * @throws UsageError, or ConfigError for a rule of the configuration.
 */
export async function requireRules(
  agent: Pick<Agent, "agents" | "allowed" | "config" | "places" | "toolbox">,
): Promise<void> {
  if (agent.agents.ownSlot) return;
  const saved = [...projectRules(agent.places), ...(agent.config.permission?.rules ?? [])];
  const rules = [...agent.allowed, ...saved.map(({ rule }) => rule)];
  if (rules.every((rule) => isShippedTool(rule.split("(", 1)[0]?.trim() ?? ""))) return;
  const { refuseSlips } = await import("./rule-warnings.ts");
  refuseSlips(agent, await agent.toolbox.last());
}
