import { characterOf, isKey } from "../toolkit/keys.ts";
import { columnsOf, wrapHanging } from "../toolkit/text.ts";
import { type Tui, write } from "../tui.ts";
import { openDialog } from "./open-dialog.ts";

/** Who wrote something that recently still writes, in milliseconds: the next letters are no answer. */
const writingMs = 800;

export interface ChooseLetterOptions {
  readonly signal?: AbortSignal;
  /** The question comes unasked, perhaps in the middle of a word. */
  readonly isSudden?: boolean;
}

/** Asks for one of some letters; undefined for Esc and when the signal comes. `question` is ours, with colours. */
export function chooseLetter(
  tui: Tui,
  question: string,
  letters: string,
  { signal, isSudden = false }: ChooseLetterOptions = {},
): Promise<string | undefined> {
  return openDialog<string>(
    tui,
    (settle) => ({
      isSudden,
      render(columns) {
        const lines = wrapHanging(question, columns - 1, 4);
        const last = lines.at(-1) ?? "";
        return { lines, cursor: { row: lines.length - 1, column: columnsOf(last) + 1 } };
      },
      key(typed) {
        if (isKey(typed, "escape", "ctrl+d")) return settle(undefined);
        if (isSudden && performance.now() - tui.lastWrittenMs < writingMs) return write(tui, typed);
        const letter = characterOf(typed)?.toLowerCase();
        if (letter !== undefined && letters.includes(letter)) settle(letter);
      },
      cancel: () => settle(undefined),
    }),
    signal,
  );
}
