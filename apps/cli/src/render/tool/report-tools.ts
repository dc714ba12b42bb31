// Reports which tools, skills and rules cannot be used.

import type { FailedTool, Registry, TrustStatus } from "@ikigai/core";
import { isShippedTool } from "@ikigai/core/hooks";
import { renderFailure } from "@ikigai/core/internal";
import { untrustedWords } from "@ikigai/core/trust";
import { textStart } from "@ikigai/protocol";
import { sanitiseLine } from "@ikigai/screen";
import type { Agent } from "../../host/conversation/agent-from-flags.ts";
import { printError } from "../../host/terminal/stdout.ts";
import { shortPath } from "../short-forms.ts";
import type { LabelledRule } from "./rule-warnings.ts";

/** The line for a tool that was not loaded, sanitised. */
export function failureLine(failure: FailedTool): string {
  return sanitiseLine(`${renderFailure(failure)}${testAdvice(failure)}`);
}

/** How to find out more about a tool that was not loaded; empty if a test would not help. */
export function testAdvice({ name, reason, isLaunched }: FailedTool): string {
  // A file that cannot be started has no schema to test, and one behind a launcher is elsewhere.
  const hasAdvice = !isLaunched && !["not executable", "invalid name", "untrusted", "unsafe"].includes(reason);
  return hasAdvice ? `. To test it: ikigai tool check ${name}` : "";
}

/** Reports on stderr which executables were not loaded, and why; with `name`, only those of that name. */
export function reportSkipped(registry: Pick<Registry, "failed" | "trust" | "trustProblem">, name?: string): void {
  const { failed } = registry;
  const skipped = failed.filter((failure) => name === undefined || failure.name === name);
  for (const failure of skipped) {
    if (failure.reason !== "untrusted") printError(`${failureLine(failure)}\n`);
  }
  const notice =
    name === undefined ? untrustedNotice({ ...registry, failedSkills: [] }) : oneUntrustedNotice(skipped, registry);
  if (notice !== undefined) printError(`${notice}\n`);
}

/**
 * The notice about tools and skills skipped because the project is not trusted; undefined without any.
 *
 * @param command what shows them and asks.
 */
export function untrustedNotice(
  { failed, failedSkills, trust, trustProblem }: Pick<Registry, "failed" | "failedSkills" | "trust" | "trustProblem">,
  command = "ikigai trust",
): string | undefined {
  const parts = [
    ...untrusted(
      "tool",
      failed.filter(({ reason }) => reason === "untrusted"),
      trust,
    ),
    ...untrusted(
      "skill",
      failedSkills.filter(({ isUntrusted }) => isUntrusted),
      trust,
    ),
  ];
  // The command would only say the same.
  const remedy = trustProblem === undefined ? command : sanitiseLine(trustProblem);
  return parts.length === 0 ? undefined : `${parts.join("; ")} — ${remedy}`;
}

/** Most names of a notice, and the longest one, in characters: a project chooses both, and this is printed before it is trusted. */
const maxNamed = 20;
const maxNameLength = 64;

function untrusted(kind: string, found: readonly { readonly name: string }[], trust: TrustStatus): string[] {
  if (found.length === 0) return [];
  const names = found.slice(0, maxNamed).map(({ name }) => sanitiseLine(textStart(name, maxNameLength)));
  const more = found.length > maxNamed ? ", …" : "";
  const kinds = `${found.length} project ${kind}${found.length === 1 ? "" : "s"}`;
  return [`${kinds} ${untrustedWords(trust)}: ${names.join(", ")}${more}`];
}

/** The skills that cannot be used, apart from those that only need trust: one line each. */
export function skillProblems({ failedSkills }: Pick<Registry, "failedSkills">): string[] {
  const broken = failedSkills.filter(({ isUntrusted }) => !isUntrusted);
  return broken.map(({ name, path, reason }) =>
    sanitiseLine(`Skill '${name}' cannot be used: ${reason} (${shortPath(path, { projectDir: "" })})`),
  );
}

/** Without a number: the project may have more such tools. */
function oneUntrustedNotice(
  failed: readonly FailedTool[],
  { trust, trustProblem }: Pick<Registry, "trust" | "trustProblem">,
): string | undefined {
  const tool = failed.find(({ reason }) => reason === "untrusted");
  if (!tool) return undefined;
  // The detail names the files that changed.
  if (trust === "changed") return sanitiseLine(`The project tool ${tool.name} is not used: ${tool.detail}`);
  return `The project tool ${sanitiseLine(tool.name)} is not trusted — ${sanitiseLine(trustProblem ?? "ikigai trust")}`;
}

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
  agent: Pick<Agent, "agents" | "allowed" | "permission" | "places" | "toolbox">,
): Promise<void> {
  if (agent.agents.ownSlot) return;
  if (agent.permission.rules.every(({ rule }) => isShippedTool(rule.split("(", 1)[0]?.trim() ?? ""))) return;
  const { refuseSlips } = await import("./rule-warnings.ts");
  refuseSlips(agent, await agent.toolbox.last());
}
