/** How much of a name may differ: a typo in a short name, word order or a few letters in a long one. */
const maxDifference = 1 / 3;

/** Longer than any tool's name; the rest of a longer one is not compared. */
const maxLength = 128;

/**
 * Returns the word closest to `word`, if one is close enough to be a likely typo.
 *
 * @param maxPart the fraction of the word that may differ, from 0 to 1.
 */
export function nearestWord(word: string, words: readonly string[], maxPart = maxDifference): string | undefined {
  const wanted = normalise(word.slice(0, maxLength));
  let nearest: string | undefined;
  let least = maxPart;
  for (const candidate of words) {
    const known = normalise(candidate);
    const length = Math.max(wanted.length, known.length);
    // Swapped words count as one edit: "read_file" is close to "file_read".
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

/** Edits (insert, delete, replace, swap neighbours) that turn one word into the other. */
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
