import {
  CURSOR_MARKER,
  KeybindingsManager,
  Editor as PiEditor,
  type SelectListTheme,
  setKeybindings,
  type TUI,
  TUI_KEYBINDINGS,
} from "@earendil-works/pi-tui";
import { type Complete, followOffers, providerOf } from "./completions.ts";
import { isKey, type KeyName } from "./keys.ts";
import { columnsOf } from "./text.ts";
import type { Theme } from "./theme.ts";

/** Lines to draw, and the position of the cursor in them. */
export interface Frame {
  readonly lines: readonly string[];
  readonly cursor?: { readonly row: number; readonly column: number };
  /** How many rows are there only for a while, as for a list that the user has opened. */
  readonly over?: number;
  /** Called when it is on the screen. */
  readonly onDrawn?: () => void;
}

export interface EditorOptions {
  readonly theme: () => Theme;
  readonly rows: () => number;
  readonly requestDraw: () => void;
  readonly complete: Complete;
  readonly submit: (text: string) => void;
}

/** An editor for text of several lines. */
export interface Editor {
  key(typed: string): void;
  paste(text: string): void;
  insert(text: string): void;
  /** The text, with folded pastes in full. */
  text(): string;
  setText(text: string): void;
  isCompleting(): boolean;
  remember(text: string): void;
  /** Replaces the keys of pi-tui's actions. */
  bind(keys: Readonly<Record<string, KeyName[]>>): void;
  render(columns: number): Frame;
}

/** Closes a list of completions. */
const escapeKey = "\u001b";

/** Inserts the selected completion. */
const tabKey = "\t";

/** Completions shown at once. */
const maxCompletions = 8;

const prompt = "›";
/** The prompt and a space. */
const promptColumns = 2;

/** pi-tui makes spaces of tabs, so it gets another character, which no text has. */
const tabSign = "\ufdd0";
const withSigns = (text: string) => text.replaceAll("\t", tabSign);
const withTabs = (text: string) => text.replaceAll(tabSign, "\t");

/** Drawn for a tab. */
const drawnTab = "→";

/** pi-tui's mark for a folded paste. */
const pasteMark = /\[paste #(\d+) (?:\+(\d+) lines|(\d+) chars)\]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the marks of pi-tui's own cursor
const drawnCursor = /\u001b\[7m(.*?)\u001b\[0m/u;

/** pi-tui's editor, with the terminal's cursor instead of a drawn one. */
export function createEditor({ theme, rows, requestDraw, complete, submit }: EditorOptions): Editor {
  // The editor uses nothing else of a TUI.
  const minimalTui = {
    requestRender: requestDraw,
    terminal: {
      get rows() {
        return rows();
      },
    },
  } as unknown as TUI;
  const style = () => theme().style;
  const editor = new PiEditor(
    minimalTui,
    {
      // A `!` command runs without a question, so it looks different.
      borderColor: (text) => (editor.getText().startsWith("!") ? style().yellow(text) : style().dim(text)),
      selectList: listTheme(style),
    },
    { autocompleteMaxVisible: maxCompletions, paddingX: promptColumns },
  );
  editor.focused = true;
  // With the indentation of the first line, which pi-tui drops.
  let indented: string | undefined;
  editor.onSubmit = (text) => submit(withTabs(indented?.trim() === text ? indented : text));
  // Private: it counts a final newline as one more line, and does not expose pastes. A test fails when it changes.
  // https://github.com/earendil-works/pi/blob/main/packages/tui/src/components/editor.ts
  const pastes: unknown = Reflect.get(editor, "pastes");
  const offers = followOffers();
  editor.setAutocompleteProvider(providerOf(complete, offers.take));
  const beforeCursor = () => {
    const { line, col } = editor.getCursor();
    return (editor.getLines()[line] ?? "").slice(0, col);
  };
  return {
    key(typed) {
      const first = offers.keyBefore(typed, editor.isShowingAutocomplete() ? beforeCursor() : undefined);
      if (first !== undefined) editor.handleInput(first === "tab" ? tabKey : escapeKey);
      const before = editor.getText();
      indented = /^(?:\s|\[paste #)/.test(before) ? editor.getExpandedText() : undefined;
      editor.handleInput(typed);
      // pi-tui keeps offering completions after Ctrl-U and Ctrl-W.
      if (editor.getText() === "" && editor.isShowingAutocomplete()) editor.handleInput(escapeKey);
      // The cursor goes to the end of a recalled text; pi-tui puts it at the start.
      if (isKey(typed, "up") && editor.getText() !== before) toEnd(editor);
    },
    paste: (text) => editor.handleInput(`\u001b[200~${withSigns(text)}\u001b[201~`),
    insert(text) {
      editor.insertTextAtCursor(withSigns(text));
      requestDraw();
    },
    text: () => withTabs(editor.getExpandedText()),
    setText(text) {
      editor.setText(withSigns(text));
      requestDraw();
    },
    isCompleting: () => editor.isShowingAutocomplete(),
    remember: (text) => editor.addToHistory(withSigns(text)),
    bind: (keys) => setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, keys)),
    render(columns) {
      // Leave room for the editor, its rules and the footer.
      editor.setAutocompleteMaxVisible(Math.min(maxCompletions, rows() - 7));
      const frame = withPrompt(frameOf(editor.render(columns), pastes), columns, theme().style.bold(prompt));
      // Private, as above: the rows of the completions.
      return { ...frame, over: Number(Reflect.get(editor, "renderedAutocompleteHeight")) || 0 };
    },
  };
}

function listTheme(style: () => Theme["style"]): SelectListTheme {
  const cyan = (text: string) => style().cyan(text);
  const dim = (text: string) => style().dim(text);
  return { selectedPrefix: cyan, selectedText: cyan, description: dim, scrollInfo: dim, noMatch: dim };
}

/** Uses a private function: `setText` loses the position in the history. A test fails when it changes; source linked above. */
function toEnd(editor: PiEditor): void {
  const setText: unknown = Reflect.get(editor, "setTextInternal");
  if (typeof setText === "function") Reflect.apply(setText, editor, [editor.getText(), "end"]);
}

/** Puts the prompt into the padding of the first line below the rule. */
function withPrompt({ lines, cursor }: Frame, columns: number, sign: string): Frame {
  const [rule = "", first = "", ...others] = lines;
  // A very narrow terminal has no room for it.
  if (columns < 2 * promptColumns + 2) return { lines, ...(cursor && { cursor }) };
  return { lines: [rule, `${sign}${first.slice(1)}`, ...others], ...(cursor && { cursor }) };
}

function frameOf(rendered: readonly string[], pastes: unknown): Frame {
  let cursor: Frame["cursor"];
  const lines = rendered.map((line, row) => {
    const shown = line.replaceAll(tabSign, drawnTab).replace(pasteMark, (_, id, lines, characters) => {
      const text: unknown = pastes instanceof Map ? pastes.get(Number(id)) : undefined;
      const counted = typeof text === "string" ? text.replace(/\n$/, "").split("\n").length : lines;
      return lines === undefined ? `[Pasted ${characters} characters]` : `[Pasted ${counted} lines]`;
    });
    const at = shown.indexOf(CURSOR_MARKER);
    if (at < 0) return shown.trimEnd();
    cursor = { row, column: columnsOf(shown.slice(0, at)) };
    const after = shown.slice(at + CURSOR_MARKER.length).replace(drawnCursor, "$1");
    return (shown.slice(0, at) + after).trimEnd();
  });
  return { lines, ...(cursor && { cursor }) };
}
