import type { Choices } from "../../render/render-question.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import type { AskedQuestion } from "../components/asked-question.ts";
import type { Dialog } from "../components/dialog.ts";
import { draftHint } from "../components/draft-hint.ts";
import { guardDialog, noteWithdrawn } from "../components/guard-dialog.ts";
import { type LetterOptions, letterDialog } from "../components/letter-dialog.ts";
import { lineDialog, type SeveralLines } from "../components/line-dialog.ts";
import { type PickOptions, pickDialog } from "../components/pick-dialog.ts";
import { type QuestionDialogOptions, questionDialog } from "../components/question-dialog.ts";
import { openViewerOn, type ViewerOptions } from "../components/viewer.ts";
import { writingMs } from "./screen-state.ts";
import type { Tui } from "./tui.ts";

/**
 * Shows a dialog until it is answered; undefined if the user or the signal cancels it. One dialog is open at a time; the next
 * one waits.
 */
function openDialog<Answer>(
  tui: Tui,
  create: (settle: (answer: Answer | undefined) => void) => Dialog,
  signal?: AbortSignal,
): Promise<Answer | undefined> {
  const open = () =>
    new Promise<Answer | undefined>((resolve) => {
      const settle = (answer: Answer | undefined) => {
        if (tui.dialog !== dialog) return;
        signal?.removeEventListener("abort", onAbort);
        // The user looks at it now, and what follows comes of the answer.
        tui.noteCommand();
        tui.closeDialog();
        resolve(answer);
      };
      const onAbort = () => {
        if (tui.dialog === dialog) noteWithdrawn();
        // What follows is the rest of the text, not an answer to the next question.
        const typedMs = dialog.typedMs?.();
        if (typedMs !== undefined && performance.now() - typedMs < writingMs) tui.noteWriting(false);
        settle(undefined);
      };
      const created = guardDialog(create(settle));
      const isSurprise = tui.surprises();
      const dialog = isSurprise ? { ...created, isSudden: true } : created;
      if (signal?.aborted) return resolve(undefined);
      signal?.addEventListener("abort", onAbort);
      if (isSurprise || (tui.viewer && !tui.viewer.isOfQuestion)) noteWithdrawn();
      tui.openDialog(dialog);
      const draft = tui.editor.text();
      if (dialog.isSudden && draft !== "") tui.showHint(draftHint(dialog, draft));
    });
  return tui.afterDialogs(open);
}

/** Lets the user choose from a list; undefined if they cancel. */
export function pick<Value>(tui: Tui, options: PickOptions<Value>): Promise<Value | undefined> {
  const look = () => ({ theme: tui.theme, signs: tui.session.screen.signs });
  return openDialog<Value>(tui, (settle) => pickDialog(options, look, settle));
}

/** Asks for a line of text, or several; undefined if the user cancels. */
export function askLine(
  tui: Tui,
  question: string,
  { signal, initial = "", ...options }: AskLineOptions = {},
): Promise<string | undefined> {
  return openDialog<string>(tui, (settle) => lineDialog({ question, initial, ...options }, settle), signal);
}

export interface AskLineOptions {
  readonly signal?: AbortSignal;
  readonly initial?: string;
  /** Shown above the question. */
  readonly hint?: string;
  /** The question may open while the user is typing. */
  readonly isSudden?: boolean;
  /** Set for a text that may have several lines. */
  readonly lines?: SeveralLines;
  /** Called with the text if the user cancels. */
  readonly left?: (text: string) => void;
}

interface ChooseOptions extends LetterOptions {
  readonly signal?: AbortSignal;
}

/** Asks for one of the letters; undefined on Esc or abort. `question` is our own text and may have colours. */
export function chooseLetter(
  tui: Tui,
  question: string,
  letters: string,
  options: ChooseOptions = {},
): Promise<string | undefined> {
  return chooseFrom(tui, () => ({ choices: question, letters }), options);
}

/** As `chooseLetter`, with choices that depend on what has been visible. */
export function chooseFrom(tui: Tui, current: () => Choices, options: ChooseOptions): Promise<string | undefined> {
  return openDialog<string>(tui, (settle) => letterDialog(current, options, settle), options.signal);
}

/** Asks whether a call may run; undefined on Esc or abort. */
export function askQuestion(
  tui: Tui,
  options: Omit<QuestionDialogOptions, "look">,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const look = () => ({ theme: tui.theme, signs: tui.session.screen.signs });
  return openDialog<string>(tui, (settle) => questionDialog({ ...options, look }, settle), signal);
}

/** Shows a whole question, which then counts as viewed. */
export function viewQuestion(tui: Tui, asked: AskedQuestion): void {
  const options = {
    title: sanitiseLine(asked.tool.name),
    isOfQuestion: true,
    closeHints: ["G shows the end, q goes back to the question", "G end, q back"] as const,
    parts: (columns: number) => [asked.rows(columns)],
    endShown: () => asked.viewed(),
  };
  openViewer(tui, options, () => {
    if (!asked.isSeen()) tui.showHint("The end has not been on the screen: v, then G.");
  });
}

/** Opens a full-screen text. @param closed called after the user has closed it */
export function openViewer(tui: Tui, options: ViewerOptions, closed = () => {}): void {
  const { surface, session } = tui;
  const ground = {
    surface,
    theme: () => tui.theme,
    signs: session.screen.signs,
    closed() {
      tui.closeViewer();
      closed();
    },
  };
  tui.openViewer(openViewerOn(ground, options));
}
