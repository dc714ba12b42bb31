import { endAgent, type StartedAgent, startedAgents } from "@ikigai/agent/internal";
import { slashCommand } from "../help/slash-command-table.ts";
import { sanitiseLine } from "../render/sanitise.ts";
import { tokenCount } from "../render/times-and-sizes.ts";
import type { SlashCommand } from "./slash-command.ts";

export const agents: SlashCommand = {
  ...slashCommand("agents"),
  async run([action, wanted], { agent, screen }) {
    const started = startedAgents(agent.conversation);
    if (action === undefined) return screen.print(renderAgents(started));
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
