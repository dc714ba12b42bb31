import { gramLength, type KeyGrams, type Place, strideFor } from "./key-grams.ts";
import { isSecretPart } from "./known-keys.ts";
import type { Range } from "./reduced-text.ts";

/** Finds the parts of keys that are long enough and no words. Takes linear time. */
export function keyPartsIn(text: string, grams: KeyGrams, minKeyPart: number): Range[] {
  const parts: Range[] = [];
  const stride = strideFor(minKeyPart);
  for (let at = 0; at + gramLength <= text.length; ) {
    const places = grams.find(text, at) ?? [];
    const { start, end } = longestPart(text, at, places);
    if (end - start >= minKeyPart && isSecretPart(text.slice(start, end))) parts.push({ start, end });
    // Other parts that begin inside this one count only if they end after it: then they have the gram at its end.
    at = Math.max(at + stride, end - gramLength + 1);
  }
  return parts;
}

/** The longest part of a key around a gram. */
function longestPart(text: string, at: number, places: readonly Place[]): Range {
  let longest = { start: at, end: at };
  for (const { key, at: place, from, to } of places) {
    let before = 0;
    while (before < place - from && text[at - before - 1] === key[place - before - 1]) before++;
    let after = gramLength;
    while (place + after < to && text[at + after] === key[place + after]) after++;
    if (before + after > longest.end - longest.start) longest = { start: at - before, end: at + after };
  }
  return longest;
}
