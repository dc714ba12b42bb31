// /agents, and the list of calls that ctrl-o shows.

import { type StartedAgent, startedAgents } from "@ikigai/agent/internal";
import { expectedMessage } from "@ikigai/models";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { readOnlyLog } from "@ikigai/session";
import { exportMarkdown } from "@ikigai/session/export";
import {
  agentState,
  agentTitle,
  endOne,
  noAgents,
  renderNamed,
  showAgents,
} from "../../session/commands/state-commands.ts";
import { chooseLetter, openViewer, pick } from "../app/open-dialog.ts";
import { earlierAgents } from "../app/open-work.ts";
import { catching, type ScreenHandler, say, type Tui } from "../app/tui.ts";
import { renderLive, renderRecord, type WorkRecord } from "../components/call-record.ts";
import { changePaint, loadRenderers } from "../components/renderers.ts";
import { resumeSession } from "./sessions.ts";

export const agents: ScreenHandler = {
  async run(argument, tui, isAside = false) {
    const words = argument.split(/\s+/).filter(Boolean);
    if (words.length > 0) return showAgents(words, tui.session);
    const started = agentsOf(tui);
    const named = (await renderNamed(tui.session)).trimEnd();
    if (started.length === 0) return say(tui, `${noAgents}\n${named}`);
    const chosen = await pickAgent(tui, started, "agents you have defined");
    if (chosen === "more") return say(tui, named);
    if (chosen) await manageAgent(tui, chosen, isAside);
  },
};

/** Shows the log of the running agent; of several, the one that the user picks. False if none is running. */
function showRunningAgent(tui: Tui): boolean {
  const running = agentsOf(tui).filter(({ state }) => state === "running");
  const [first, second] = running;
  if (!first) return false;
  if (!second) showLog(tui, first);
  else
    void catching(tui, async () => {
      const chosen = await pickAgent(tui, running);
      if (chosen && chosen !== "more") showLog(tui, chosen);
    });
  return true;
}

/** The agents of this conversation, and the running ones of those that were left. */
function agentsOf(tui: Tui): StartedAgent[] {
  return [...earlierAgents(tui), ...startedAgents(tui.session.agent.conversation)];
}

/** @param more the label of a last choice. */
async function pickAgent(tui: Tui, started: readonly StartedAgent[], more?: string) {
  const choices = started.map((agent) => ({ value: agent, label: agentTitle(agent), remark: agentState(agent) }));
  const last = more === undefined ? [] : [{ value: "more" as const, label: more }];
  return pick<StartedAgent | "more">(tui, {
    title: "Agents",
    choices: [...choices, ...last],
    selected: choices.length - 1,
  });
}

async function manageAgent(tui: Tui, agent: StartedAgent, isAside: boolean): Promise<void> {
  const isRunning = agent.state === "running";
  // A running agent has its session open, and a turn, which may begin at any time, has this one.
  const canJoin = !isRunning && !isAside;
  const offers = ["l show log", ...(isRunning ? ["e end it"] : []), ...(canJoin ? ["j join it"] : []), "esc cancel "];
  const letters = `l${isRunning ? "e" : ""}${canJoin ? "j" : ""}`;
  const letter = await chooseLetter(tui, `${agentTitle(agent)}   ${offers.join("   ")}`, letters);
  if (letter === "l") showLog(tui, agent);
  if (letter === "e") say(tui, await endOne(agent));
  if (letter === "j") await joinAgent(tui, agent);
}

/** Switches to the agent's session, and says how to get back. */
async function joinAgent(tui: Tui, { session }: StartedAgent): Promise<void> {
  const { conversation } = tui.session.agent;
  const isJoined = await resumeSession(tui, session, { keepModel: false });
  if (isJoined && tui.session.agent.conversation !== conversation)
    say(tui, `This is the agent's session. To return to the previous one: /resume ${conversation.id}`);
}

function showLog(tui: Tui, agent: StartedAgent): void {
  openViewer(tui, {
    title: `${agentTitle(agent)} (${agentState(agent)})`,
    parts: () => [logLines(tui, agent)],
    isAtEnd: true,
    isLive: agent.state === "running",
  });
}

function logLines(tui: Tui, { session, logPath }: StartedAgent): string[] {
  const { conversation } = tui.session.agent;
  try {
    const log = readOnlyLog(logPath);
    return sanitise(exportMarkdown({ ...conversation, id: session, log })).split("\n");
  } catch (error) {
    return [sanitiseLine(expectedMessage(error))];
  }
}

/** A record as it was last drawn, and for what. */
interface Drawn {
  readonly columns: number;
  readonly paint: ReturnType<typeof changePaint>;
  readonly lines: readonly string[];
}

/** Shows all calls and thoughts in full, scrolled to the last one, and follows those that run. */
function showCalls(tui: Tui): void {
  const { signs } = tui.session.screen;
  if (tui.records.length === 0 && tui.transcript.live().length === 0) {
    tui.showHint("No tool calls yet.");
    return;
  }
  const lookFor = (columns: number) => ({ style: tui.theme.style, signs, columns, paint: changePaint(tui.theme) });
  const rendered = new WeakMap<WorkRecord, Drawn>();
  const linesOf = (record: WorkRecord, columns: number) => {
    const look = lookFor(columns);
    const known = rendered.get(record);
    if (known?.columns === columns && known.paint === look.paint) return known.lines;
    const lines = renderRecord(record, look);
    rendered.set(record, { columns, paint: look.paint, lines });
    return lines;
  };
  openViewer(tui, {
    title: "Calls",
    partNames: "next call",
    parts: (columns) => [
      ...tui.records.map((record) => linesOf(record, columns)),
      ...tui.transcript.live().map((live) => renderLive(live, lookFor(columns))),
    ],
    isAtEnd: true,
    isLive: true,
  });
  // What colours changes may not be loaded yet.
  void loadRenderers().then(
    () => tui.redraw(),
    () => {},
  );
}

/** Shows the log of a running agent, else all calls in full. */
export function showWork(tui: Tui): void {
  if (!showRunningAgent(tui)) showCalls(tui);
}

export const calls: ScreenHandler = {
  run: (_, tui) => showCalls(tui),
};
