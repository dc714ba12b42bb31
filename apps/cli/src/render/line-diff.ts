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
