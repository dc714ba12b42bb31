/** A part of a key that has at least this many characters is there by no accident: a program has wrapped, cut or dumped the key. */
export const minKeyPart = 16;

const gramLength = 8;

/** So far apart that every such part has a whole gram at one of the places. */
const stride = minKeyPart - gramLength + 1;

/** A key that repeats itself has a gram in many places; so many are enough to find its parts. */
const maxPlaces = 16;

/** A JSON Web Token, of which only the signature is a secret: many tokens begin alike. */
const webToken = /^eyJ[\w-]+\.[\w-]+\.(?=[\w-]+$)/;

interface Place {
  readonly key: string;
  readonly at: number;
}

/** Replaces the parts of keys that are long enough, and that `isSecret` does not take for words. Takes linear time. */
export function replaceKeyParts(
  text: string,
  keys: readonly string[],
  sign: string,
  isSecret: (part: string) => boolean,
): string {
  const grams = gramsOf(keys.map((key) => key.replace(webToken, "")));
  if (grams.size === 0) return text;
  const pieces: string[] = [];
  let done = 0;
  for (let at = 0; at + gramLength <= text.length; at += stride) {
    const places = grams.get(text.slice(at, at + gramLength));
    if (!places) continue;
    const [start, end] = longestPart(text, at, places);
    if (end <= done || end - start < minKeyPart || !isSecret(text.slice(start, end))) continue;
    pieces.push(text.slice(done, Math.max(done, start)), start < done ? "" : sign);
    done = end;
  }
  return pieces.join("") + text.slice(done);
}

/** Where the keys have eight characters. */
function gramsOf(keys: readonly string[]): Map<string, Place[]> {
  const grams = new Map<string, Place[]>();
  for (const key of keys) {
    if (key.length < minKeyPart) continue;
    for (let at = 0; at + gramLength <= key.length; at++) {
      const gram = key.slice(at, at + gramLength);
      const places = grams.get(gram) ?? [];
      if (places.length < maxPlaces) places.push({ key, at });
      grams.set(gram, places);
    }
  }
  return grams;
}

/** The longest part of a key around a gram: where it begins and ends. */
function longestPart(text: string, at: number, places: readonly Place[]): readonly [start: number, end: number] {
  let longest: readonly [number, number] = [at, at];
  for (const { key, at: place } of places) {
    let before = 0;
    while (before < place && text[at - before - 1] === key[place - before - 1]) before++;
    let after = gramLength;
    while (place + after < key.length && text[at + after] === key[place + after]) after++;
    if (before + after > longest[1] - longest[0]) longest = [at - before, at + after];
  }
  return longest;
}
