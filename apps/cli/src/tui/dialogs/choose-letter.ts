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

/** Breaks lines between their parts, which three spaces keep apart; a part that is too long itself goes on below, set in. */
function wrapParts(text: string, columns: number): string[] {
  const rows = text.split("\n").flatMap((line) => {
    const [first = "", ...rest] = line.trimEnd().split(/(?<=\S) {3,}/);
    const indent = /^ */.exec(line)?.[0] ?? "";
    const lines = [first];
    for (const part of rest) {
      const longer = `${lines.at(-1)}   ${part}`;
      if (columnsOf(longer) <= columns) lines[lines.length - 1] = longer;
      else lines.push(`${indent}${part}`);
    }
    return lines;
  });
  return rows.flatMap((row) => wrapHanging(row, columns, 4));
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
        const lines = wrapParts(question, columns - 1);
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
