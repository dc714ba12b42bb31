import {
  addUsage,
  agentsWork,
  findInstructions,
  type HostUse,
  networkedCalls,
  noUsage,
  type Usage,
} from "@ikigai/agent/internal";
import { permissionModeTable } from "@ikigai/agent/permission-modes";
import { narrowColumns, type Row } from "../help/columns.ts";
import { slashCommand } from "../help/slash-command-table.ts";
import { sandboxState } from "../host/open-notices.ts";
import { version } from "../host/own-paths.ts";
import { renderCall } from "../render/render-call.ts";
import { sanitise, sanitiseLine } from "../render/sanitise.ts";
import { fileSize, shortPath, tokenCount } from "../render/short-forms.ts";
import type { Session } from "./session.ts";
import type { SlashCommand } from "./slash-command.ts";

/** The full path, also of the project itself. */
const fullPath = (path: string) => sanitiseLine(shortPath(path, { projectDir: "" }));

export const status: SlashCommand = {
  ...slashCommand("status"),
  async run(_args, session) {
    session.screen.print(narrowColumns(await statusRows(session), session.screen.columns));
  },
};

async function statusRows({ agent, model }: Session): Promise<Row[]> {
  const { conversation, places, permission, rules, thinking } = agent;
  const { log, id } = conversation;
  return [
    ["ikigai", version],
    ["model", `${sanitiseLine(model.id)}${thinking === undefined ? "" : `, thinking: ${thinking}`}`],
    ["directory", fullPath(places.projectDir)],
    ["session", `${id}${log.path === undefined ? " (not saved)" : ""}`],
    ["permissions", permissionModeTable[permission.mode].title],
    ["sandbox", sandboxState(rules)],
    ["tools", (await agent.toolbox.last()).tools.map(({ name }) => name).join(", ")],
    ...tokenRows({ agent, model }),
  ];
}

function tokenRows({ agent, model }: Pick<Session, "agent" | "model">): Row[] {
  const { usage } = agent.conversation;
  if (usage.inputTokens + usage.outputTokens === 0) return [["tokens", "none yet"]];
  const rows: Row[] = [["tokens", usageText(usage, agent.models.of(model.id)?.cost(usage))]];
  const ofAgents = [...agentsWork(agent.conversation).usage];
  if (ofAgents.length === 0) return rows;
  const costs = ofAgents.map(([id, used]) => agent.models.of(id)?.cost(used));
  const cost = costs.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0);
  return [...rows, ["of agents", usageText(ofAgents.map(([, used]) => used).reduce(addUsage, noUsage), cost)]];
}

function usageText(usage: Usage, cost: number | undefined): string {
  const price = cost === undefined ? "price unknown" : `$${cost.toFixed(cost < 0.1 ? 3 : 2)}`;
  const cached = usage.cacheReadTokens === 0 ? "" : ` (${tokenCount(usage.cacheReadTokens)} cached)`;
  return `${tokenCount(usage.inputTokens)} in${cached}, ${tokenCount(usage.outputTokens)} out, ${price}`;
}

/** What each call of the session exchanged with hosts. Those of agents are in their own sessions. */
export const network: SlashCommand = {
  ...slashCommand("network"),
  async run(_args, { agent, screen }) {
    const calls = networkedCalls(agent.conversation);
    if (calls.length === 0) return screen.print("No call of this session has used the network of the sandbox.\n");
    for (const { call, hosts } of calls) {
      screen.print(`${renderCall(call, screen)}\n`);
      for (const use of hosts) screen.print(`  ${sanitiseLine(hostLine(use))}\n`);
    }
  },
};

function hostLine({ host, sent, received, refused }: HostUse): string {
  if (refused === undefined) return `${host}: ${fileSize(sent)} sent, ${fileSize(received)} received`;
  const why = refused.replace(/^host \S+: /, "").replace(/; [^;]*\bhost\(.*$/, "");
  return `${host} was refused: ${why}. To allow it: /permissions, allow host(${host})`;
}

export const memory: SlashCommand = {
  ...slashCommand("memory"),
  async run(_args, { agent, screen }) {
    const { projectDir, home } = agent.places;
    const { files, refused } = findInstructions(projectDir, home);
    const lines = files.map(({ path, text }) => `  ${fullPath(path)}  ${lineCount(text)}\n`);
    if (lines.length > 0) screen.print(`Read for every message, the most specific last:\n${lines.join("")}`);
    else if (refused.length === 0)
      screen.print(`No AGENTS.md here, and none in ${fullPath(home)}. /init writes one for this project.\n`);
    for (const problem of refused) screen.print(`${sanitise(problem)}\n`);
  },
};

function lineCount(text: string): string {
  const count = text.split("\n").length;
  return `${count} line${count === 1 ? "" : "s"}`;
}
