import type { KeyAction, KeyBindings } from "./key-bindings.ts";
import type { KeyRow } from "./key-overlay.ts";

/** What the overlay shows, in its order: keys with a fixed meaning, and actions. */
const shown: readonly (KeyRow | KeyAction)[] = [
  ["!", "run a command"],
  ["!!", "run privately"],
  ["/", "commands"],
  ["@", "mention a file"],
  ["tab", "complete"],
  "palette",
  "new-line",
  "queue",
  "take-back",
  ["esc", "stop"],
  ["esc esc", "go back"],
  ["up", "earlier input"],
  "history",
  "edit",
  "paste-image",
  "calls",
  "mode",
  "thinking",
  "model",
  "clear",
  ["ctrl-z", "suspend"],
  ["ctrl-d", "quit"],
];

const words: Partial<Record<KeyAction, string>> = {
  palette: "find a command",
  "new-line": "new line",
  queue: "send later",
  "take-back": "take back",
  history: "search input",
  edit: "use $EDITOR",
  "paste-image": "paste an image",
  calls: "all calls",
  mode: "mode",
  thinking: "thinking",
  model: "model",
  clear: "clear",
};

/** The rows of the overlay with the keys that are bound now. */
export function keyRows(bindings: KeyBindings): KeyRow[] {
  return shown.flatMap((row) => {
    if (typeof row !== "string") return [row];
    const [key] = bindings[row];
    return key === undefined ? [] : [[key, words[row] ?? row] as const];
  });
}
