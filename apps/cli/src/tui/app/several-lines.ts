import { namesOf } from "../components/key-bindings.ts";
import type { SeveralLines } from "../components/line-dialog.ts";
import { editDraft } from "./edit-elsewhere.ts";
import type { Tui } from "./tui.ts";

/** Lets a dialog take a text of several lines, with the keys of the editor. @param name a file's, for the user's own editor */
export function severalLines(tui: Tui, name: string): SeveralLines {
  const { "new-line": newLine, edit } = tui.bindings;
  return {
    newLine: namesOf(newLine),
    edit: namesOf(edit),
    openEditor: (text) => editDraft(tui, text, name),
    wrapped: tui.session.screen.signs.wrapped,
  };
}

/** What the keys of such a dialog do, as a sentence. */
export function lineHint({ bindings }: Tui, enter: string, esc: string): string {
  const { "new-line": newLine, edit } = bindings;
  // Terminals send some of these keys as Enter; the last one is the safest.
  const keys = [
    ...newLine.slice(-1).map((key) => `${key} adds a line`),
    ...edit.slice(0, 1).map((key) => `${key} opens your editor`),
  ];
  return `${[enter, ...keys, esc].join(", ")}.`;
}
