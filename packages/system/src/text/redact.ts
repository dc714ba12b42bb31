import { keysIn } from "./find-keys.ts";
import { type KnownKeys, knownKeys } from "./known-keys.ts";
import { type Range, reducedTexts } from "./reduced-text.ts";

/** Takes the place of a key. */
export const removedSign = "[key removed]";

/**
 * Replaces keys in a text that people or files will see, long parts of them anywhere, and short ones where a text was cut. Finds them
 * also with terminal sequences, invisible characters or line breaks inside, which go with them; all other text stays as it is.
 */
export function redact(text: string, secrets: readonly string[]): string {
  return withoutKeys(text, knownKeys(secrets));
}

/** As `redact`, for prepared keys. */
export function withoutKeys(text: string, known: KnownKeys): string {
  if (text.length < known.shortest) return text;
  const found = reducedTexts(text).flatMap((reduced) => keysIn(reduced, known));
  return found.length === 0 ? text : withoutRanges(text, found);
}

function withoutRanges(text: string, ranges: Range[]): string {
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end } of ranges.sort((one, other) => one.start - other.start)) {
    if (end <= done) continue;
    // One that overlaps the last one continues it.
    if (start >= done) pieces.push(text.slice(done, start), removedSign);
    done = end;
  }
  return pieces.join("") + text.slice(done);
}
