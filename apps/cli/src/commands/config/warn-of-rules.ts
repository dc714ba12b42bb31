import { loadConfig } from "@ikigai/agent/internal";
import { printError } from "../../host/stdout.ts";
import type { CommandContext } from "../command.ts";

/** Says on stderr which rules of the configuration probably do not do what they are meant to. */
export async function warnOfRules({ places, env }: CommandContext): Promise<void> {
  const rules = loadConfig(places.home).config.permission?.rules ?? [];
  if (rules.length === 0) return;
  const { openToolbox } = await import("../../host/open-toolbox.ts");
  const { ruleWarnings } = await import("../../render/rule-warnings.ts");
  const registry = await openToolbox(places, env).last();
  const labelled = rules.map(({ verdict, rule }) => ({ label: verdict, rule }));
  for (const warning of ruleWarnings(labelled, registry)) printError(`${warning}\n`);
}
