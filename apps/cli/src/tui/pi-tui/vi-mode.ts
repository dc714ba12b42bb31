/** The text of an editor and its cursor. */
export interface ViText {
  readonly lines: readonly string[];
  readonly line: number;
  /** In UTF-16 units. */
  readonly column: number;
}

/** Keys of pi-tui's editor that carry out a command. */
export type ViKey = keyof typeof viKeys;

export const viKeys = {
  left: "\u001b[D",
  right: "\u001b[C",
  up: "\u001b[A",
  down: "\u001b[B",
  home: "\u0001",
  end: "\u0005",
  delete: "\u001b[3~",
  backspace: "\u007f",
  killLine: "\u000b",
  newLine: "\n",
  yank: "\u0019",
  undo: "\u001f",
} as const;

/** The state of the normal mode; all but `isInserting` is for the next key. */
export interface ViState {
  readonly isInserting: boolean;
  /** `d`, `c`, `g`, `r`: it waits for a motion or a character. */
  readonly pending: string;
  /** How often, as digits. */
  readonly count: string;
}

export const viStart: ViState = { isInserting: true, pending: "", count: "" };

/** What a key of the normal mode does: keys for the editor, and the state after it. */
export interface ViStep {
  readonly state: ViState;
  readonly keys: readonly (ViKey | { readonly text: string })[];
}

const normal: ViState = { isInserting: false, pending: "", count: "" };
const inserting: ViState = viStart;

/** Most repetitions of a command: a longer count is a slip. */
const maxCount = 1_000;

/** Carries out a key of the normal mode. Keys that mean nothing there do nothing. */
export function viStep(state: ViState, key: string, text: ViText): ViStep {
  const { pending } = state;
  if (/^[1-9]$/.test(key) || (key === "0" && state.count !== ""))
    return { state: { ...state, count: state.count + key }, keys: [] };
  const count = Math.min(maxCount, Number(state.count || 1));
  if (pending === "r") return { state: normal, keys: ["delete", { text: key }, "left"] };
  if (pending === "g") return { state: normal, keys: key === "g" ? toLine(text, 0) : [] };
  if (pending === "d" || pending === "c") return operate(pending, key, count, text);
  if (key === "d" || key === "c" || key === "g" || key === "r") return { state: { ...state, pending: key }, keys: [] };
  const entry = entries[key];
  if (entry) return { state: inserting, keys: entry };
  const motion = motionOf(key, count, text);
  return { state: normal, keys: motion ?? times(edits[key] ?? [], count) };
}

/** Keys that begin inserting. */
const entries: Readonly<Record<string, readonly ViKey[]>> = {
  i: [],
  a: ["right"],
  I: ["home"],
  A: ["end"],
  o: ["end", "newLine"],
  O: ["home", "newLine", "up"],
  s: ["delete"],
  S: ["home", "killLine"],
  C: ["killLine"],
};

/** Keys that change the text and stay in the normal mode. */
const edits: Readonly<Record<string, readonly ViKey[]>> = {
  x: ["delete"],
  X: ["backspace"],
  D: ["killLine"],
  u: ["undo"],
  p: ["yank"],
  P: ["yank"],
  J: ["end", "delete"],
};

function operate(operator: "d" | "c", key: string, count: number, text: ViText): ViStep {
  const state = operator === "c" ? inserting : normal;
  const { lines, line, column } = text;
  if (key === operator) {
    // The line break goes too, unless the line is changed or the last one.
    const rest: ViKey[] = operator === "c" ? [] : line < lines.length - 1 ? ["delete"] : line > 0 ? ["backspace"] : [];
    return { state, keys: times(["home", "killLine", ...rest], operator === "c" ? 1 : count) };
  }
  if (key === "$") return { state, keys: ["killLine"] };
  // As in vi, cw leaves the space after the word.
  const target = targetOf(operator === "c" && key === "w" ? "e" : key, count, text);
  if (target === undefined) return { state: normal, keys: [] };
  const isInclusive = key === "e" || (operator === "c" && key === "w");
  const current = lines[line] ?? "";
  if (target < column) return { state, keys: times(["backspace"], characters(current.slice(target, column))) };
  return { state, keys: times(["delete"], characters(current.slice(column, target + (isInclusive ? 1 : 0)))) };
}

function motionOf(key: string, count: number, text: ViText): readonly ViKey[] | undefined {
  if (key === "j") return times(["down"], count);
  if (key === "k") return times(["up"], count);
  if (key === "G") return toLine(text, text.lines.length - 1);
  if (key === "0" || key === "$") return [key === "0" ? "home" : "end"];
  const target = targetOf(key, count, text);
  if (target === undefined) return undefined;
  const { lines, line, column } = text;
  const current = lines[line] ?? "";
  if (target < column) return times(["left"], characters(current.slice(target, column)));
  return times(["right"], characters(current.slice(column, target)));
}

/** The column that a motion within the line leads to; undefined for any other key. */
function targetOf(key: string, count: number, { lines, line, column }: ViText): number | undefined {
  const current = lines[line] ?? "";
  let at = column;
  for (let left = count; left > 0; left--) {
    if (key === "h" || key === "backspace") at = Math.max(0, at - lastLength(current.slice(0, at)));
    else if (key === "l" || key === " ") at = Math.min(current.length, at + firstLength(current.slice(at)));
    else if (key === "0") at = 0;
    else if (key === "^") at = current.length - current.trimStart().length;
    else if (key === "w" || key === "W") at += lengthOf(nextWord(key), current.slice(at));
    else if (key === "e" || key === "E") at += Math.max(0, lengthOf(wordEnd(key), current.slice(at)) - 1);
    else if (key === "b" || key === "B") at -= lengthOf(wordBefore(key), current.slice(0, at));
    else return undefined;
  }
  return at;
}

const nextWord = (key: string) => (key === "W" ? /^\S*\s*/ : /^(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?\s*/u);
const wordEnd = (key: string) => (key === "E" ? /^.?\s*\S*/u : /^.?\s*(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?/u);
const wordBefore = (key: string) => (key === "B" ? /\S*\s*$/ : /(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?\s*$/u);

function lengthOf(pattern: RegExp, text: string): number {
  return pattern.exec(text)?.[0].length ?? 0;
}

function toLine({ line }: ViText, wanted: number): readonly ViKey[] {
  return [...times<ViKey>([wanted < line ? "up" : "down"], Math.abs(wanted - line)), "home"];
}

function times<Key>(keys: readonly Key[], count: number): readonly Key[] {
  return Array.from({ length: count }, () => keys).flat();
}

const segmenter = new Intl.Segmenter();

/** How many characters as a reader counts them. */
function characters(text: string): number {
  return [...segmenter.segment(text)].length;
}

function firstLength(text: string): number {
  return [...segmenter.segment(text)][0]?.segment.length ?? 0;
}

function lastLength(text: string): number {
  return [...segmenter.segment(text)].at(-1)?.segment.length ?? 0;
}
