import { sanitiseLine } from "../../screen/sanitise.ts";
import { characterOf, isKey } from "../toolkit/keys.ts";
import { columnsOf, wrapStyled } from "../toolkit/text.ts";
import type { Tui } from "../tui.ts";
import { openDialog } from "./open-dialog.ts";

/** Asks for a line of text; undefined when the user does not want to give one. */
export function askLine(
  tui: Tui,
  question: string,
  { signal, initial = "" }: { signal?: AbortSignal; initial?: string } = {},
): Promise<string | undefined> {
  return openDialog<string>(
    tui,
    (settle) => {
      let text = initial;
      return {
        render(columns) {
          const lines = [...wrapStyled(`${question}${sanitiseLine(text)}`, columns - 1)];
          return {
            lines,
            cursor: { row: lines.length - 1, column: columnsOf(lines.at(-1) ?? "") + (endsInSpace() ? 1 : 0) },
          };
        },
        key(typed) {
          if (isKey(typed, "escape", "ctrl+d")) return settle(undefined);
          if (isKey(typed, "enter")) return settle(text);
          text = edited(text, typed);
        },
        paste(pasted) {
          text += pasted.replace(/\s+/g, " ");
        },
        cancel: () => settle(undefined),
      };

      function endsInSpace(): boolean {
        return /\s$/.test(`${question}${text}`);
      }
    },
    signal,
  );
}

/** What a key makes of a text that is written at its end. */
export function edited(text: string, typed: string): string {
  if (isKey(typed, "ctrl+u")) return "";
  if (isKey(typed, "ctrl+w", "alt+backspace")) return text.replace(/\S*\s*$/, "");
  if (isKey(typed, "backspace", "ctrl+h")) return [...text].slice(0, -1).join("");
  return text + (characterOf(typed) ?? "");
}
