import type { Choices } from "../../render/render-question.ts";
import { characterOf, isKey } from "../pi-tui/keys.ts";
import { columnsOf, wrapHanging } from "../pi-tui/text.ts";
import type { Dialog } from "./dialog.ts";

export interface LetterOptions {
  /** The question may open while the user is typing. */
  readonly isSudden?: boolean;
  /** Called with a letter that is not one of the choices. */
  readonly refused?: (letter: string) => void;
}

/**
 * Asks for one of some letters; undefined on Esc. A capital is not an answer: it begins a sentence that was meant for the model.
 * The choices may depend on what has been visible, so each key is compared with the current ones.
 */
export function letterDialog(
  current: () => Choices,
  { isSudden = false, refused }: LetterOptions,
  settle: (answer: string | undefined) => void,
): Dialog {
  return {
    isSudden,
    isLetter: (typed) => characterOf(typed) !== undefined,
    render(columns) {
      const lines = wrapParts(current().choices.trimEnd(), columns - 1);
      const last = lines.at(-1) ?? "";
      return { lines, cursor: { row: lines.length - 1, column: columnsOf(last) + 1 } };
    },
    key(typed) {
      if (isKey(typed, "escape", "ctrl+d")) return settle(undefined);
      const letter = characterOf(typed);
      if (letter === undefined) return;
      if (current().letters.includes(letter)) settle(letter);
      else refused?.(letter);
    },
    cancel: () => settle(undefined),
  };
}

/** Wraps lines between their parts, which three spaces separate; a part that is too long continues below, indented. */
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
