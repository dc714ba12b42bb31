import { exportMarkdown } from "@ikigai/agent/export";
import { expectedMessage, type StartedAgent, startedAgents } from "@ikigai/agent/internal";
import { sanitise, sanitiseLine } from "../../render/sanitise.ts";
import { agentState, agents as agentsInLines, agentTitle, endOne, noAgents } from "../../session/agents.ts";
import { chooseLetter, openViewer, pick } from "../app/open-dialog.ts";
import { say, type Tui, type TuiCommand } from "../app/tui.ts";
import { catching, resumeSession } from "./sessions.ts";

const { name, parameters = "", summary } = agentsInLines;

export const agents: TuiCommand = {
  ...{ name, parameters, summary },
  isQuick: true,
  async run(argument, tui) {
    await catching(tui, async () => {
      const words = argument.split(/\s+/).filter(Boolean);
      if (words.length > 0) return agentsInLines.run(words, tui.session, (run) => run(new AbortController().signal));
      const chosen = await pickAgent(tui, startedAgents(tui.session.agent.conversation));
      if (chosen) await manageAgent(tui, chosen);
    });
  },
};

/** Shows the log of the running agent; of several, the one that the user picks. False if none is running. */
export function showRunningAgent(tui: Tui): boolean {
  const running = startedAgents(tui.session.agent.conversation).filter(({ state }) => state === "running");
  const [first, second] = running;
  if (!first) return false;
  if (!second) showLog(tui, first);
  else
    void catching(tui, async () => {
      const chosen = await pickAgent(tui, running);
      if (chosen) showLog(tui, chosen);
    });
  return true;
}

async function pickAgent(tui: Tui, started: readonly StartedAgent[]): Promise<StartedAgent | undefined> {
  if (started.length === 0) {
    say(tui, noAgents);
    return undefined;
  }
  const choices = started.map((agent) => ({ value: agent, label: agentTitle(agent), remark: agentState(agent) }));
  return pick(tui, { title: "Agents", choices, selected: choices.length - 1 });
}

async function manageAgent(tui: Tui, agent: StartedAgent): Promise<void> {
  const isRunning = agent.state === "running";
  // A running agent has its session open, and a turn has this one.
  const canJoin = !isRunning && !tui.work;
  const offers = ["l show log", ...(isRunning ? ["e end it"] : []), ...(canJoin ? ["j join it"] : []), "esc cancel "];
  const letters = `l${isRunning ? "e" : ""}${canJoin ? "j" : ""}`;
  const letter = await chooseLetter(tui, `${agentTitle(agent)}   ${offers.join("   ")}`, letters);
  if (letter === "l") showLog(tui, agent);
  if (letter === "e") say(tui, await endOne(agent));
  if (letter === "j") await resumeSession(tui, agent.session, { keepModel: false });
}

function showLog(tui: Tui, agent: StartedAgent): void {
  openViewer(tui, {
    title: `${agentTitle(agent)} (${agentState(agent)})`,
    render: () => logLines(tui, agent),
    isAtEnd: true,
  });
}

function logLines(tui: Tui, { session, logPath }: StartedAgent): string[] {
  const { conversation } = tui.session.agent;
  try {
    const log = { path: logPath, problem: undefined, append: () => {}, close: () => {} };
    return sanitise(exportMarkdown({ ...conversation, id: session, log })).split("\n");
  } catch (error) {
    return [sanitiseLine(expectedMessage(error))];
  }
}
