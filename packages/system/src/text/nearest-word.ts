/** How much of a name may differ: a typing error in a short name, the order of words or a few letters in a long one. */
const maxDifference = 0.4;

/** Longer than any tool's name: what a model made up beyond this is not worth comparing. */
const maxLength = 128;

/**
 * The one of these words that somebody who wrote `word` most likely meant, if there is one that is near: of which no more
 * than a part, from 0 to 1, is different.
 */
export function nearestWord(word: string, words: readonly string[], maxPart = maxDifference): string | undefined {
  const wanted = normalise(word.slice(0, maxLength));
  let nearest: string | undefined;
  let least = maxPart;
  for (const candidate of words) {
    const known = normalise(candidate);
    const length = Math.max(wanted.length, known.length);
    // "read_file" is nearer to "file_read" than its letters say.
    const edits = Math.min(editDistance(wanted, known), 1 + editDistance(sortWords(wanted), sortWords(known)));
    if (edits / length <= least && (nearest === undefined || edits / length < least)) {
      nearest = candidate;
      least = edits / length;
    }
  }
  return nearest;
}

function normalise(name: string): string {
  return name
    .toLowerCase()
    .replaceAll("-", "_")
    .replace(/_tool$/, "");
}

function sortWords(name: string): string {
  return name.split("_").sort().join("_");
}

/** How many letters have to be added, left out or replaced, or neighbours swapped, to make one word of the other. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(at(last, column) + 1, at(current, column - 1) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
