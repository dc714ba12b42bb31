import type { Editor as PiEditor } from "@earendil-works/pi-tui";
import { characterOf, isKey } from "./keys.ts";
import { viKeys, viStart, viStep } from "./vi-mode.ts";

/** vi's normal mode on top of the editor. */
export function viOn(editor: PiEditor) {
  let state = viStart;
  const isNormal = () => !state.isInserting;
  return {
    isNormal,
    reset() {
      state = viStart;
    },
    toNormal(): boolean {
      if (isNormal() || editor.isShowingAutocomplete()) return false;
      state = { ...viStart, isInserting: false };
      // As vi does, but not into the line before.
      if (editor.getCursor().col > 0) editor.handleInput(viKeys.left);
      return true;
    },
    /** Takes a key of the normal mode; false for any other. */
    take(typed: string): boolean {
      const command = isNormal() && !isKey(typed, "enter") ? characterOf(typed) : undefined;
      if (command === undefined) return false;
      const { line, col } = editor.getCursor();
      const step = viStep(state, command, { lines: editor.getLines(), line, column: col });
      state = step.state;
      for (const one of step.keys) editor.handleInput(typeof one === "string" ? viKeys[one] : one.text);
      return true;
    },
  };
}
