// Opens dialogs and the viewer, one at a time: `openDialog` is what all others call. Then a list, a line, letters, a question, and a whole text.

import {
  type Dialog,
  lineDialog,
  openViewerOn,
  type PickOptions,
  pickDialog,
  type SeveralLines,
  sanitiseLine,
  type ViewerOptions,
} from "@ikigai/screen";
import type { AskedQuestion } from "../components/asked-question.ts";
import { letterDialog, type QuestionDialogOptions, questionDialog } from "../components/question-dialog.ts";
import type { DialogKind, Tui } from "./tui.ts";

/** Where a dialog belongs. */
interface Opening {
  readonly signal?: AbortSignal | undefined;
  /** By default, part of a command. */
  readonly kind?: DialogKind | undefined;
}

/**
 * Shows a dialog until it is answered; undefined if the user or the signal cancels it. One dialog is open at a time; the next
 * one waits.
 */
function openDialog<Answer>(
  tui: Tui,
  create: (settle: (answer: Answer | undefined) => void) => Dialog,
  { signal, kind = "command" }: Opening,
): Promise<Answer | undefined> {
  const open = () =>
    new Promise<Answer | undefined>((resolve) => {
      const close = (answer: Answer | undefined) => {
        if (tui.dialog !== dialog) return;
        signal?.removeEventListener("abort", onAbort);
        tui.closeDialog();
        resolve(answer);
      };
      const onAbort = () => close(undefined);
      const dialog = create((answer) => {
        tui.focus.answered(kind);
        close(answer);
      });
      if (signal?.aborted) return resolve(undefined);
      signal?.addEventListener("abort", onAbort);
      tui.openDialog(dialog);
      tui.focus.opened(dialog, kind);
    });
  return tui.afterDialogs(open);
}

/** Lets the user choose from a list; undefined if they cancel. */
export function pick<Value>(tui: Tui, options: PickOptions<Value>, signal?: AbortSignal): Promise<Value | undefined> {
  const look = () => ({ theme: tui.theme, signs: tui.session.screen.signs });
  return openDialog<Value>(tui, (settle) => pickDialog(options, look, settle), {
    signal,
    kind: options.asker === undefined ? "command" : "question",
  });
}

/** Asks for a line of text, or several; undefined if the user cancels. */
export function askLine(
  tui: Tui,
  question: string,
  { signal, kind, initial = "", ...options }: AskLineOptions = {},
): Promise<string | undefined> {
  return openDialog<string>(tui, (settle) => lineDialog({ question, initial, ...options }, settle), { signal, kind });
}

export interface AskLineOptions extends Opening {
  readonly initial?: string;
  /** Shown above the question. */
  readonly hint?: string;
  /** Who asks, if the user has not opened it. */
  readonly asker?: string | undefined;
  /** Set for a text that may have several lines. */
  readonly lines?: SeveralLines;
  /** Called with the text if the user cancels. */
  readonly left?: (text: string) => void;
}

interface ChooseOptions extends Opening {
  readonly asker?: string;
  /** The key that has opened the dialog, which answers with the first letter. */
  readonly again?: "ctrl+d";
}

/** Asks for one of the letters; undefined on Esc or abort. `question` is our own text and may have colours. */
export function chooseLetter(
  tui: Tui,
  question: string,
  letters: string,
  { asker, again, ...opening }: ChooseOptions = {},
): Promise<string | undefined> {
  const unknown = () =>
    tui.showHint(`Answer with ${[...letters].join(" or ")}. esc deletes this text, shift-tab leaves the question.`);
  return openDialog<string>(
    tui,
    (settle) => letterDialog({ question, letters, asker, again, unknown }, settle),
    opening,
  );
}

/** Asks one of some answers of a question that the user has not asked for; undefined on Esc or abort. */
export function askQuestion(
  tui: Tui,
  options: Omit<QuestionDialogOptions, "look">,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const look = () => ({ theme: tui.theme, signs: tui.session.screen.signs });
  return openDialog<string>(tui, (settle) => questionDialog({ ...options, look }, settle), {
    signal,
    kind: "question",
  });
}

/** Shows a whole question, which then counts as viewed. */
export function viewQuestion(tui: Tui, asked: AskedQuestion): void {
  const options = {
    title: sanitiseLine(asked.tool.name),
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
