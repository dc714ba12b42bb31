/** A part of a text, in UTF-16 units; `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** The parts in which two versions of a line differ. */
export interface ChangedWords {
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
