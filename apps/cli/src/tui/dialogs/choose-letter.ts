import { characterOf, isKey } from "../toolkit/keys.ts";
import { columnsOf, wrapStyled } from "../toolkit/text.ts";
import type { Tui } from "../tui.ts";
import { openDialog } from "./open-dialog.ts";

/** Asks for one of some letters; undefined for Esc and when the signal comes. `question` is ours, with colours. */
export function chooseLetter(
  tui: Tui,
  question: string,
  letters: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  return openDialog<string>(
    tui,
    (settle) => ({
      render(columns) {
        const lines = [...question.split("\n").flatMap((line) => wrapStyled(line, columns - 1))];
        const last = lines.at(-1) ?? "";
        return { lines, cursor: { row: lines.length - 1, column: columnsOf(last) + 1 } };
      },
      key(typed) {
        if (isKey(typed, "escape", "ctrl+d")) return settle(undefined);
        const letter = characterOf(typed)?.toLowerCase();
        if (letter !== undefined && letters.includes(letter)) settle(letter);
      },
      cancel: () => settle(undefined),
    }),
    signal,
  );
}
