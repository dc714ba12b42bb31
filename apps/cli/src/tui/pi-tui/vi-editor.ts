import type { Editor as PiEditor } from "@earendil-works/pi-tui";
import { characterOf, isKey } from "./keys.ts";
import { viKeys, viStart, viStep } from "./vi-mode.ts";

/** vi's normal mode on top of the editor. */
export function viOn(editor: PiEditor) {
  const changes = changesOf(editor);
  let state = viStart;
  const isNormal = () => !state.isInserting;
  return {
    isNormal,
    reset() {
      state = viStart;
      changes.end();
    },
    toNormal(): boolean {
      if (isNormal() || editor.isShowingAutocomplete()) return false;
      state = { ...viStart, isInserting: false };
      changes.end();
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
      changes.begin();
      for (const one of step.keys) editor.handleInput(typeof one === "string" ? viKeys[one] : one.text);
      if (isNormal()) changes.end();
      return true;
    },
  };
}

/** Makes one step for `u` of what a command changes, with all that is typed until the normal mode is on again. */
function changesOf(editor: PiEditor) {
  // Private: pi-tui makes a step of each deleted character and each word. A test fails when it changes.
  // https://github.com/earendil-works/pi/blob/main/packages/tui/src/undo-stack.ts
  const steps: unknown = Reflect.get(Object(Reflect.get(editor, "undoStack")), "stack");
  const stack = Array.isArray(steps) ? steps : [];
  let first: number | undefined;
  return {
    begin() {
      first = stack.length;
    },
    end() {
      if (first !== undefined) stack.length = Math.min(stack.length, first + 1);
      first = undefined;
    },
  };
}
