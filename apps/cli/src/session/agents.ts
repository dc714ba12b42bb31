import { endAgent, namedAgents, type StartedAgent, startedAgents } from "@ikigai/agent/internal";
import { narrowColumns } from "../help/columns.ts";
import { slashCommand } from "../help/slash-command-table.ts";
import { sanitiseLine } from "../render/sanitise.ts";
import { shortPath, tokenCount } from "../render/short-forms.ts";
import type { Session } from "./session.ts";
import type { SlashCommand } from "./slash-command.ts";

export const agents: SlashCommand = {
  ...slashCommand("agents"),
  async run([action, wanted], session) {
    const { agent, screen } = session;
    const started = startedAgents(agent.conversation);
    if (action === undefined) return screen.print(`${renderAgents(started)}${await renderNamed(session)}`);
    const chosen = started.find(({ number }) => String(number) === wanted);
    if (action !== "end" || wanted === undefined) return screen.print("Write /agents, or /agents end N.\n");
    if (!chosen) return screen.print(`There is no agent ${sanitiseLine(wanted)}. /agents lists them.\n`);
    screen.print(`${await endOne(chosen)}\n`);
  },
};

function renderAgents(started: readonly StartedAgent[]): string {
  if (started.length === 0) return `${noAgents}\n`;
  return started
    .map((one) => `${one.number} ${agentTitle(one)} (${agentState(one)})\n  ikigai --resume ${one.session}\n`)
    .join("");
}

export const noAgents = "No agents in this session.";

/** The agents that have a file, or how to make one. */
export async function renderNamed({ agent, model }: Session): Promise<string> {
  const registry = await agent.toolbox.current();
  const { agents: named } = await namedAgents({ ...agent.places, registry, model: model.id });
  if (named.length === 0) return "To give an agent its own instructions, write a Markdown file: /help agents\n";
  const rows = named.map(({ name, path, description }) => {
    return [sanitiseLine(name), `${sanitiseLine(description)} (${shortPath(path, agent.places)})`] as const;
  });
  return `With their own instructions:\n${narrowColumns(rows)}`;
}

/** An agent's name, if it has one, and the beginning of its task. */
export function agentTitle({ agent, task }: Pick<StartedAgent, "agent" | "task">): string {
  return sanitiseLine(`${agent === undefined ? "" : `${agent}: `}${task.replace(/\s+/g, " ").trim()}`);
}

export function agentState({ state, spent }: StartedAgent): string {
  return `${state}, ${tokenCount(spent)} tokens`;
}

/** Ends an agent; returns what to say. */
export async function endOne(agent: StartedAgent): Promise<string> {
  if (agent.state !== "running") return `It has ended: ${agentTitle(agent)}`;
  return (await endAgent(agent)) ? `Ended: ${agentTitle(agent)}` : `Could not end: ${agentTitle(agent)}`;
}
