import { type ContextFrame, contextSize, frameFor } from "@ikigai/agent/internal";
import { permissionModeTable } from "@ikigai/agent/permission-modes";
import { shortPath } from "../../render/short-path.ts";
import type { Dialog } from "../components/dialog.ts";
import type { FooterFacts } from "../components/footer.ts";
import { keyRows } from "../components/key-rows.ts";
import { renderDock } from "../components/render-dock.ts";
import type { Frame } from "../pi-tui/editor.ts";
import { noteFrame } from "../terminal/press-time.ts";
import { costOf } from "./note-resume.ts";
import type { Tui } from "./tui.ts";

/** Renders the part of the conversation that can still change, and the dock below it. */
export function renderScreen(tui: Tui, columns: number, rows: number): Frame {
  const { signs } = tui.session.screen;
  const { theme, work, hint, dialog, editor, todos } = tui;
  const queue = tui.scheduler.waiting();
  const { status, session } = tui;
  const isStill = session.agent.config.screen?.motion === "reduced";
  const draft = dialog?.isSudden ? editor.text() : undefined;
  const keys = tui.hasKeys ? keyRows(tui.bindings) : undefined;
  const dock = renderDock(
    { theme, signs, work, todos, queue, hint, dialog, draft, editor, keys, status, isStill, footer: footerOf(tui) },
    columns,
    rows,
  );
  const live = tui.transcript.render(columns, rows - dock.lines.length);
  const { lines, cursor, over = 0 } = dock;
  return {
    lines: [...live, ...lines],
    over,
    onDrawn() {
      noteFrame();
      noteDrawn(tui, dialog);
    },
    ...(cursor && { cursor: { row: cursor.row + live.length, column: cursor.column } }),
  };
}

/** Notes that a dialog is on the screen. What opens on its own counts from when the terminal says that it has shown it. */
function noteDrawn(tui: Tui, dialog: Dialog | undefined): void {
  const note = () => {
    if (tui.dialog === dialog) tui.noteDrawn(performance.now());
  };
  if (dialog?.isSudden && dialog.isDrawn?.() === false) tui.surface.whenShown(dialog, note);
  else note();
  if (dialog && !dialog.isSudden && tui.dialogShownMs === Number.POSITIVE_INFINITY)
    tui.surface.whenShown(dialog, () => {
      if (tui.dialog === dialog) tui.noteShown(performance.now());
    });
}

function footerOf(tui: Tui): FooterFacts {
  const { session, branch, context, running } = tui;
  const { agent, model } = session;
  const { conversation, places, permission, thinking } = agent;
  const { usage } = conversation;
  const facts = {
    mode: permission.mode,
    modeTitle: permissionModeTable[permission.mode].title,
    directory: shortPath(places.projectDir, { projectDir: "" }),
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

/** The system prompt and the schemas that a request would send now. */
export async function contextOf({ session }: Tui): Promise<ContextFrame> {
  const { agent, model } = session;
  return frameFor(agent, await agent.toolbox.last(), model.id);
}

/** Updates the context in the footer, which is too expensive to compute at every key. */
export async function refreshFrame(tui: Tui): Promise<void> {
  tui.setContext(await contextOf(tui));
}
