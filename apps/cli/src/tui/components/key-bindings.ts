// Which keys do what: the defaults, and the rows that say so.

import type { KeyName } from "@ikigai/screen";
import defaults from "./default-keys.json" with { type: "json" };
import type { KeyRow } from "./dock.ts";

/** What a key can be bound to. */
export type KeyAction = keyof typeof defaults;

/** The keys of each action, as `keys.json` spells them. */
export type KeyBindings = Readonly<Record<KeyAction, readonly string[]>>;

/** The keys that hold unless `keys.json` says otherwise. */
export const defaultBindings: KeyBindings = defaults;

export const actionNames = Object.keys(defaults) as readonly KeyAction[];

/** Actions that need an empty line: their key is a letter, or the editor uses it otherwise. */
export const onEmptyLine: readonly KeyAction[] = ["palette", "keys"];

/** pi-tui's names of the actions that its editor carries out. */
const ofEditor = {
  "new-line": "tui.input.newLine",
  undo: "tui.editor.undo",
  yank: "tui.editor.yank",
  "delete-to-end": "tui.editor.deleteToLineEnd",
  "delete-to-start": "tui.editor.deleteToLineStart",
  "delete-word": "tui.editor.deleteWordBackward",
  "delete-next-word": "tui.editor.deleteWordForward",
  "word-left": "tui.editor.cursorWordLeft",
  "word-right": "tui.editor.cursorWordRight",
  "line-start": "tui.editor.cursorLineStart",
  "line-end": "tui.editor.cursorLineEnd",
} as const satisfies Partial<Record<KeyAction, string>>;

/** An action of pi-tui's editor. */
type EditorAction = (typeof ofEditor)[keyof typeof ofEditor];

/** The bindings of the editor's own actions. */
export function editorBindings(bindings: KeyBindings): Record<EditorAction, KeyName[]> {
  const entries = Object.entries(ofEditor).map(([action, name]) => [name, namesOf(bindings[action as KeyAction])]);
  return Object.fromEntries(entries) as Record<EditorAction, KeyName[]>;
}

/** The keys by pi-tui's names: `page-up` is `pageUp`, `ctrl-o` is `ctrl+o`. */
export function namesOf(keys: readonly string[]): KeyName[] {
  return keys.map((key) => {
    const [, modifiers = "", name = ""] = /^((?:(?:ctrl|alt|shift)-)*)(.+)$/.exec(key) ?? [];
    const camel = name.replace(/(?<=.)-(.)/g, (_, letter: string) => letter.toUpperCase());
    return `${modifiers.replaceAll("-", "+")}${camel}` as KeyName;
  });
}

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
