import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Registry } from "@ikigai/core";
import { startsAgents } from "@ikigai/core/internal";
import { textStart } from "@ikigai/protocol";
import type { FoundAgents } from "./agent-files.ts";
import type { NamedAgent } from "./grant.ts";

/** How many agents the system prompt names. */
const maxTold = 40;

/** How much of a description it sees, in characters. */
const toldLength = 200;

/** Where the agents of a conversation are, and what they can choose from. */
export interface NamedAgentsScene {
  readonly home: string;
  readonly projectDir: string;
  readonly registry: Registry;
  /** `provider/model` of the conversation. */
  readonly model: string;
}

/** Returns the agents with instructions of their own; none if no tool starts agents. */
export async function namedAgents({ home, projectDir, registry, model }: NamedAgentsScene): Promise<FoundAgents> {
  const hasFiles = () => [join(home, "agents"), join(projectDir, ".ikigai/agents")].some((path) => existsSync(path));
  if (!registry.tools.some(startsAgents) || !hasFiles()) return { agents: [], problems: [], remarks: [] };
  // Loaded only now: most users have no such files.
  const { findAgents } = await import("./agent-files.ts");
  return findAgents({ home, projectDir, model, tools: registry.tools.map(({ name }) => name) });
}

/** What the system prompt says about them. */
export function aboutAgents(agents: readonly NamedAgent[]): string {
  if (agents.length === 0) return "";
  const lines = agents
    .slice(0, maxTold)
    .map(({ name, description }) => `- ${name}: ${textStart(description, toldLength)}`);
  return `Agents with instructions of their own, which the agent tool starts by name:\n${lines.join("\n")}`;
}
