import type { KeyName } from "../pi-tui/keys.ts";
import defaults from "./default-keys.json" with { type: "json" };

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
export type EditorAction = (typeof ofEditor)[keyof typeof ofEditor];

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
