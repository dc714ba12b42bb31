// /rewind: goes back to a message, with the files or without them, and takes that back.

import { join } from "node:path";
import type { UndoPlan } from "@ikigai/git-files";
import { expectedMessage } from "@ikigai/models";
import { sanitiseLine } from "@ikigai/screen";
import {
  asTyped,
  type ChangedFile,
  changedFiles,
  lastRewind,
  openProjectUndo,
  type ProjectUndo,
  restoreFile,
  rewindConversation,
  type UserTurn,
} from "@ikigai/session";
import { utf8Text } from "@ikigai/system";
import { renderPlan } from "../../render/call/file-change.ts";
import { shortPath } from "../../render/short-forms.ts";
import { pick } from "../app/open-dialog.ts";
import { putBack } from "../app/submit.ts";
import { type ScreenHandler, say, type Tui } from "../app/tui.ts";
import { pickTurn } from "./sessions.ts";

type Part = "both" | "conversation" | "files";

export const rewind: ScreenHandler = {
  async run(argument, tui) {
    if (argument === "back") return takeBack(tui);
    const turn = await pickTurn(tui, "Rewind to before", { withEnd: false });
    if (turn === undefined || turn === "end") return;
    const { conversation } = tui.session.agent;
    const back = await wayBack(tui, turn);
    const part = back.isEmpty ? "conversation" : await pickPart(tui, back, "Rewind what?");
    if (part === undefined) return;
    if (part !== "conversation") await goBack(tui, back);
    if (part === "files") return say(tui, howBack);
    rewindConversation(conversation, turn.seq);
    putBack(tui, [asTyped(turn)]);
    const rest = back.undo ? "" : " Changes made by commands are not undone.";
    say(tui, `Rewound to before this message.${rest} ${howBack}`);
  },
};

const howBack = "To take this back before your next message: /rewind back";

/** Takes back the last rewind: of the conversation, if no message followed, and of the files, if no call has changed any. */
async function takeBack(tui: Tui): Promise<void> {
  const { conversation } = tui.session.agent;
  const seq = lastRewind(conversation);
  const undo = await projectUndo(tui);
  const isUndone = undo?.plan.to.kind === "undo" && undo.plan.changes.length + undo.plan.stays.length > 0;
  const back: WayBack = { isEmpty: !isUndone, others: [], ...(isUndone && { undo }) };
  if (seq === undefined && back.isEmpty)
    return say(tui, "Nothing to take back: a message or a call followed the rewind.");
  const part = back.isEmpty ? "conversation" : await pickPart(tui, back, "Take back what?", seq !== undefined);
  if (part === undefined) return;
  if (part !== "conversation") await goBack(tui, back);
  if (part === "files" || seq === undefined) return;
  rewindConversation(conversation, seq);
  say(tui, "Took back the rewind of the conversation. To rewind it again: /rewind back");
}

/** The files that would change. */
interface WayBack {
  readonly isEmpty: boolean;
  /** What calls of any tool changed in the project. Absent without git, or if nothing was saved. */
  readonly undo?: { readonly project: ProjectUndo; readonly plan: UndoPlan };
  /** What file tools changed elsewhere, or in ignored files. */
  readonly others: readonly ChangedFile[];
}

async function wayBack(tui: Tui, turn: UserTurn): Promise<WayBack> {
  const { conversation } = tui.session.agent;
  const undo = await projectUndo(tui, turn);
  const saved = undo ? [...undo.plan.changes, ...undo.plan.stays] : [];
  const known = new Set(saved.map(({ name }) => undo && join(undo.project.undo.root, utf8Text(name))));
  const others = changedFiles(conversation, turn.seq).filter(({ path }) => !known.has(path));
  return { isEmpty: saved.length + others.length === 0, others, ...(undo && { undo }) };
}

/** @param turn the first one to undo. Default: the last one, or the last undo. */
async function projectUndo({ session }: Tui, turn?: UserTurn): Promise<WayBack["undo"]> {
  const { agent } = session;
  const { id } = agent.conversation;
  const saving = agent.undoOf(id);
  if (saving === undefined) return undefined;
  await saving.settled();
  try {
    const project = await openProjectUndo({ ...agent.places, env: agent.env }, id);
    const plan = await project.plan(turn?.time.getTime());
    return plan && { project, plan };
  } catch (error) {
    // The user has been told when it failed: what file tools changed can still be restored.
    expectedMessage(error);
    return undefined;
  }
}

async function pickPart(
  tui: Tui,
  { undo, others }: WayBack,
  title: string,
  withConversation = true,
): Promise<Part | undefined> {
  if (undo) for (const line of await planLines(tui, undo)) say(tui, line);
  for (const { path, kept, isChangedSince } of others) {
    const what = kept === null ? "would be removed: it did not exist" : "would be restored";
    const warning = isChangedSince ? tui.theme.style.yellow("; what has changed in it since would be lost") : "";
    say(tui, `  ${shownPath(tui, path)} ${what}${warning}`);
  }
  const both = { value: "both", label: "The conversation and these files" } as const;
  const conversation = { value: "conversation", label: "The conversation" } as const;
  // Enter must not lose what someone else has changed.
  const isLossy = others.some(({ isChangedSince }) => isChangedSince);
  const choices = [
    ...(withConversation ? (isLossy ? [conversation, both] : [both, conversation]) : []),
    { value: "files", label: "These files" } as const,
  ];
  return pick<Part>(tui, { title, choices, keepsAbove: true });
}

async function planLines({ session }: Tui, { project, plan }: NonNullable<WayBack["undo"]>): Promise<string[]> {
  return (await renderPlan(project, plan, session.agent.places)).trimEnd().split("\n").filter(Boolean);
}

async function goBack(tui: Tui, { undo, others }: WayBack): Promise<void> {
  if (undo && undo.plan.changes.length > 0) {
    await undo.project.apply(undo.plan);
    const { length } = undo.plan.changes;
    say(tui, `  ${length} ${length === 1 ? "file" : "files"} restored.`);
  }
  for (const file of others) {
    try {
      const lost = await restoreFile(file);
      const done = file.kept === null ? "removed" : "restored";
      say(tui, [`  ${shownPath(tui, file.path)} ${done}`, ...lost].join(". "));
    } catch (error) {
      say(tui, tui.theme.style.red(`  ${shownPath(tui, file.path)}: ${sanitiseLine(expectedMessage(error))}`));
    }
  }
}

function shownPath({ session }: Tui, path: string): string {
  return shortPath(path, session.agent.places);
}
