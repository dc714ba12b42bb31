// The editor of messages, with its completions.
import {
  type AutocompleteItem,
  type AutocompleteProvider,
  CURSOR_MARKER,
  KeybindingsManager,
  Editor as PiEditor,
  type SelectListTheme,
  setKeybindings,
  type TUI,
  TUI_KEYBINDINGS,
} from "@earendil-works/pi-tui";
import type { Frame } from "./draw-frame.ts";
import { isKey, type KeyName } from "./keys.ts";
import { styledWidth } from "./styled-text.ts";
import type { Theme } from "./theme.ts";

interface EditorOptions {
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
      selectList: listTheme(style, (text) => offers.withCut(text)),
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

/** @param withCut marks a description that pi-tui has cut, which it does without a sign. */
function listTheme(style: () => Theme["style"], withCut: (text: string) => string): SelectListTheme {
  const cyan = (text: string) => style().cyan(text);
  const dim = (text: string) => style().dim(text);
  return {
    selectedPrefix: cyan,
    selectedText: (text) => cyan(withCut(text)),
    description: (text) => dim(withCut(text)),
    scrollInfo: dim,
    noMatch: dim,
  };
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
    cursor = { row, column: styledWidth(shown.slice(0, at)) };
    const after = shown.slice(at + CURSOR_MARKER.length).replace(drawnCursor, "$1");
    return (shown.slice(0, at) + after).trimEnd();
  });
  return { lines, ...(cursor && { cursor }) };
}

/** A possible completion. */
interface Completion {
  /** The text that is inserted. */
  readonly value: string;
  /** The text that is shown, sanitised. */
  readonly label: string;
  readonly description?: string;
}

export interface Completions {
  readonly items: readonly Completion[];
  /** The text before the cursor that is replaced. */
  readonly prefix: string;
  /** The items complete a command, so that Enter also submits; otherwise it only inserts. */
  readonly isCommand?: true;
  /** No item begins with the typed text: Enter takes one only if the user has moved to it. */
  readonly isLoose?: boolean;
  /** The typed text is the first item: Enter submits it unless the user has moved to another one. */
  readonly isWhole?: boolean;
}

/** Completes the text before the cursor; `force`: the user has asked for it. */
type Complete = (textBeforeCursor: string, isFirstLine: boolean, force: boolean) => Promise<Completions | undefined>;

/** The completions shown last. */
interface Offer extends Pick<Completions, "items" | "isCommand" | "isLoose" | "isWhole"> {
  /** The text before the cursor that they are for. */
  readonly before: string;
}

/** Adapts our completions to pi-tui; `offered` receives what it shows. */
function providerOf(complete: Complete, offered: (offer: Offer) => void): AutocompleteProvider {
  return {
    async getSuggestions(lines, cursorLine, cursorCol, { force = false, signal }) {
      const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
      const found = await complete(before, cursorLine === 0, force);
      if (!found || found.items.length === 0 || signal.aborted) return null;
      const { isCommand, isLoose = false, isWhole = false } = found;
      offered({ before, items: found.items, isLoose, isWhole, ...(isCommand && { isCommand }) });
      const items: AutocompleteItem[] = found.items.map((item) => ({ ...item }));
      return { items, prefix: found.prefix };
    },
    applyCompletion(lines, cursorLine, cursorCol, { value }, prefix) {
      const line = lines[cursorLine] ?? "";
      const before = line.slice(0, cursorCol - prefix.length) + value;
      const changed = [...lines];
      changed[cursorLine] = before + line.slice(cursorCol);
      return { lines: changed, cursorLine, cursorCol: before.length };
    },
    shouldTriggerFileCompletion: () => true,
  };
}

/** Follows what is offered, to decide what Enter and Tab do. */
function followOffers() {
  let offer: Offer = { before: "", items: [] };
  /** Whether the user has moved in the list. */
  let hasMoved = false;
  return {
    take(shown: Offer): void {
      offer = shown;
    },
    /** A row of the list with a sign where it is cut; pi-tui leaves room for it. */
    withCut(row: string): string {
      const isWhole = offer.items.some(({ label, description = label }) =>
        [label, description].some((text) => row.endsWith(text.trim())),
      );
      return isWhole ? row : `${row.trimEnd()}…`;
    },
    /** The key that pi-tui needs before a typed one. @param before the text before the cursor; absent if no list is shown */
    keyBefore(typed: string, before: string | undefined): "tab" | "escape" | undefined {
      const isEnter = isKey(typed, "enter");
      // If typing is faster than the list, the typed text counts, not the outdated list.
      const isStale = offer.before !== before;
      if (isStale) hasMoved = false;
      if (before === undefined) return undefined;
      if (isStale) return isEnter || isKey(typed, "tab") ? "escape" : undefined;
      hasMoved ||= isKey(typed, "up", "down");
      if (!isEnter) return undefined;
      if ((offer.isLoose || offer.isWhole) && !hasMoved) return "escape";
      // pi-tui submits a command at once, but not a command with its argument.
      return offer.isCommand ? "tab" : undefined;
    },
  };
}
