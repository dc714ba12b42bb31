import type { Agent } from "../host/open-agent.ts";
import { printError } from "../host/stdout.ts";
import { reportSkipped, skillProblems, untrustedNotice } from "./report-skipped.ts";

/** Reports on stderr which tools were not loaded, and which rules of `--allow` name none. */
export async function reportTools({ toolbox, allowed }: Pick<Agent, "toolbox" | "allowed">): Promise<void> {
  const registry = await toolbox.last();
  reportSkipped(registry);
  for (const problem of skillProblems(registry)) printError(`${problem}\n`);
  const untrustedSkills = untrustedNotice({ ...registry, failed: [] });
  if (untrustedSkills !== undefined) printError(`${untrustedSkills}\n`);
  if (allowed.length === 0) return;
  const { ruleWarnings } = await import("./rule-warnings.ts");
  for (const warning of ruleWarnings(allowed, registry)) printError(`${warning}\n`);
}
