// Renders the frame of the full screen, and what the conversation has cost and how it is continued.

import { agentsWork } from "@ikigai/agent/internal";
import { permissionModeTable } from "@ikigai/agent/permission-modes";
import type { Frame } from "@ikigai/screen";
import { contextSize } from "@ikigai/session";
import { placesOfCalls } from "../../host/places/find-places.ts";
import { resumeNote } from "../../render/render-header.ts";
import { shortPath } from "../../render/short-forms.ts";
import { requestPartsOf } from "../../session/session.ts";
import { type FooterFacts, renderDock } from "../components/dock.ts";
import { keyRows } from "../components/key-bindings.ts";
import { say, type Tui } from "./tui.ts";
import { sumParts } from "./turn-sum.ts";

/** Renders the part of the conversation that can still change, and the dock below it. */
export function renderScreen(tui: Tui, columns: number, rows: number): Frame {
  const { signs } = tui.session.screen;
  const { theme, work, hint, editor, todos, focus } = tui;
  const dialog = focus.isOnDialog() ? tui.dialog : undefined;
  const asker = dialog ? undefined : tui.dialog && (tui.dialog.asker ?? "A question");
  const queue = tui.scheduler.waiting();
  const { status, session } = tui;
  const isStill = session.agent.config.screen?.motion === "reduced";
  const draft = dialog?.asker === undefined ? undefined : editor.text();
  const keys = tui.hasKeys ? keyRows(tui.bindings) : undefined;
  // First the dock: once a question's answers are on it, the rows of the question in the transcript count as visible.
  const dock = renderDock(
    {
      theme,
      signs,
      work,
      todos,
      queue,
      hint,
      dialog,
      asker,
      draft,
      editor,
      keys,
      status,
      isStill,
      footer: footerOf(tui),
    },
    columns,
    rows,
  );
  const live = tui.transcript.render(columns, rows - dock.lines.length);
  const { lines, cursor, over = 0 } = dock;
  return {
    lines: [...live, ...lines],
    over,
    onDrawn: () => focus.drawn(),
    ...(cursor && { cursor: { row: cursor.row + live.length, column: cursor.column } }),
  };
}

function footerOf(tui: Tui): FooterFacts {
  const { session, branch, context, running } = tui;
  const { agent, model } = session;
  const { conversation, permission, thinking, run } = agent;
  const { usage } = conversation;
  const facts = {
    mode: permission.mode,
    modeTitle: permissionModeTable[permission.mode].title,
    hasGoal: run.goal !== undefined,
    directory: shortPath(placesOfCalls(agent).projectDir, { projectDir: "" }),
    branch,
    model: model.id,
    thinking,
    running: { job: running.jobs.length, agent: running.agents, service: running.services },
  };
  if (usage.inputTokens + usage.outputTokens === 0) return facts;
  const known = agent.models.of(model.id);
  const size = contextSize(conversation, context);
  return { ...facts, usage: { context: size, window: known?.contextWindow, cost: costOf(tui) } };
}

/** Updates the context in the footer, which is too expensive to compute at every key. */
export async function refreshContext(tui: Tui): Promise<void> {
  tui.setContext(await requestPartsOf(tui.session));
}

/** What the conversation has cost so far, with its agents, in dollars; undefined if the price is unknown. */
export function costOf({ session: { agent, model }, agentsWork }: Tui): number | undefined {
  const own = agent.models.of(model.id)?.cost(agent.conversation.usage);
  // An agent's model may have no known price, such as one on this machine.
  const ofAgents = [...agentsWork.usage].map(([id, usage]) => agent.models.of(id)?.cost(usage) ?? 0);
  return own === undefined ? undefined : ofAgents.reduce((sum, cost) => sum + cost, own);
}

/** Counts what the agents of the conversation have done. */
export function countAgents(tui: Tui): void {
  tui.setAgentsWork(agentsWork(tui.session.agent.conversation));
}

/** Says how to continue the conversation, if it can be, and what its turns have done. */
export function noteResume(tui: Tui): void {
  const note = resumeNote(tui.session.agent.conversation);
  if (note === undefined) return;
  const { dot } = tui.session.screen.signs;
  const cost = costOf(tui);
  const sum = sumParts({ ...tui.done, ...(cost !== undefined && { cost }) }, tui.session.screen);
  const parts = [note, ...(tui.done.workedMs > 0 ? sum : [])];
  say(tui, tui.theme.style.dim(parts.join(` ${dot} `)));
}
