// Compares texts: line by line, then the lines near a change, then the words in which two lines differ.

/** A line of a diff. */
export interface DiffLine {
  readonly sign: " " | "+" | "-";
  readonly text: string;
  /** From 1: in the new text, or for a removed line in the old one. */
  readonly number: number;
}

/** With more pairs of lines a diff takes too long; the differing part is then shown as replaced. */
const maxPairs = 4_000_000;

/** Diffs two texts line by line; the result includes unchanged lines. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const head = countEqual(before, after);
  const tail = countEqual(before.slice(head).reverse(), after.slice(head).reverse());
  const old = before.slice(head, before.length - tail);
  const now = after.slice(head, after.length - tail);
  return [
    ...after.slice(0, head).map((text, index): DiffLine => ({ sign: " ", text, number: index + 1 })),
    ...(old.length * now.length > maxPairs ? replaced(old, now, head) : aligned(old, now, head)),
    ...after.slice(after.length - tail).map((text, index): DiffLine => {
      return { sign: " ", text, number: after.length - tail + index + 1 };
    }),
  ];
}

function countEqual(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count++;
  return count;
}

function replaced(old: readonly string[], now: readonly string[], offset: number): DiffLine[] {
  return [
    ...old.map((text, index): DiffLine => ({ sign: "-", text, number: offset + index + 1 })),
    ...now.map((text, index): DiffLine => ({ sign: "+", text, number: offset + index + 1 })),
  ];
}

/** Keeps the longest common subsequence. */
function aligned(old: readonly string[], now: readonly string[], offset: number): DiffLine[] {
  const width = now.length + 1;
  // longest[i * width + j]: the length of the longest common subsequence of old from i and now from j.
  const longest = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      longest[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    const isSame = i < old.length && j < now.length && old[i] === now[j];
    const isRemoved = !isSame && i < old.length && (j === now.length || at(i + 1, j) >= at(i, j + 1));
    const text = (isRemoved ? old[i] : now[j]) ?? "";
    if (isSame) lines.push({ sign: " ", text, number: offset + ++j });
    else if (isRemoved) lines.push({ sign: "-", text, number: offset + i + 1 });
    else lines.push({ sign: "+", text, number: offset + ++j });
    if (isSame || isRemoved) i++;
  }
  return lines;
}

/** Unchanged lines shown around each change. */
const contextLines = 2;

/** The changed lines with their context, and whether lines are left out before each. */
export function nearLines(lines: readonly DiffLine[]): { readonly line: DiffLine; readonly isAfterGap: boolean }[] {
  return lines.flatMap((line, index) => {
    if (!isNearChange(lines, index)) return [];
    return [{ line, isAfterGap: index > 0 && !isNearChange(lines, index - 1) }];
  });
}

/** The change without the unchanged lines that are never shown. It is drawn as before: each gap and the last number stay. */
export function nearChange<Change extends { readonly lines: readonly DiffLine[] }>(change: Change): Change {
  const { lines } = change;
  // One more than is shown on each side, so that a gap is still one.
  const isKept = (index: number) => index === lines.length - 1 || isNearChange(lines, index, contextLines + 1);
  return { ...change, lines: lines.filter((_, index) => isKept(index)) };
}

/** Whether a line has changed, or one that is so many lines away or less. */
function isNearChange(lines: readonly DiffLine[], index: number, reach = contextLines): boolean {
  return lines.slice(Math.max(0, index - reach), index + reach + 1).some(({ sign }) => sign !== " ");
}

/** A part of a text, in UTF-16 units; `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** The parts in which two versions of a line differ. */
interface ChangedWords {
  readonly before: readonly TextRange[];
  readonly after: readonly TextRange[];
}

/** A line with more words is only shown as changed. */
const maxWords = 200;

/** The part of the longer line's words that both must have, for the rest to be a change of it rather than another line. */
const minShared = 0.5;

const word = /[\p{L}\p{N}_]+|\s+|[^\s\p{L}\p{N}_]/gu;

/** Finds the words in which two lines differ; undefined if they have too little in common. */
export function changedWords(before: string, after: string): ChangedWords | undefined {
  const old = before.match(word) ?? [];
  const now = after.match(word) ?? [];
  if (old.length > maxWords || now.length > maxWords) return undefined;
  const kept = keptWords(old, now);
  const count = (words: readonly string[]) => words.filter((text) => text.trim() !== "").length;
  const shared = count(old.filter((_, index) => kept.old.has(index)));
  if (shared < minShared * Math.max(count(old), count(now))) return undefined;
  return { before: changedParts(old, kept.old), after: changedParts(now, kept.now) };
}

/** The indexes of the words of the longest common subsequence, in both lists. */
function keptWords(old: readonly string[], now: readonly string[]) {
  const width = now.length + 1;
  const longest = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      longest[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const kept = { old: new Set<number>(), now: new Set<number>() };
  for (let i = 0, j = 0; i < old.length && j < now.length; ) {
    if (old[i] === now[j]) {
      kept.old.add(i++);
      kept.now.add(j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return kept;
}

/** The ranges of the words that are not kept; neighbours are one. */
function changedParts(words: readonly string[], kept: ReadonlySet<number>): TextRange[] {
  const ranges: { start: number; end: number }[] = [];
  let at = 0;
  for (const [index, text] of words.entries()) {
    const end = at + text.length;
    const last = ranges.at(-1);
    if (last?.end === at && !kept.has(index)) last.end = end;
    else if (!kept.has(index)) ranges.push({ start: at, end });
    at = end;
  }
  return ranges;
}
