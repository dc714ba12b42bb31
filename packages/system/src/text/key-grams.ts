/** The length of the pieces that are looked up. No part of a key that counts is shorter. */
export const gramLength = 8;

/** A key that repeats itself has a gram in many places; so many are enough to find its parts. */
const maxPlaces = 16;

/** Sums of grams, which are looked at before the grams: so many are possible, less one. */
const sumMask = 0xffff;

/** A place in a key: its secret is from `from` to `to`. */
export interface Place {
  readonly key: string;
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** All pieces of eight characters that keys have. Looking up one that no key has costs only a few nanoseconds. */
export class KeyGrams {
  readonly #places = new Map<string, Place[]>();
  readonly #sums = new Uint8Array(sumMask + 1);

  /** Adds a key, of which the part from `from` to `to` is a secret even without the rest. */
  add(key: string, from: number, to: number): void {
    for (let at = 0; at + gramLength <= key.length; at++) {
      const gram = key.slice(at, at + gramLength);
      const places = this.#places.get(gram) ?? [];
      const isSecret = at >= from && at + gramLength <= to;
      if (isSecret && places.length < maxPlaces) places.push({ key, at, from, to });
      this.#places.set(gram, places);
      this.#sums[sumAt(key, at)] = 1;
    }
  }

  /** Where the secrets of keys have the eight characters at an offset; `undefined` if no key has them at all. */
  find(text: string, at: number): readonly Place[] | undefined {
    return this.#sums[sumAt(text, at)] === 1 ? this.#places.get(text.slice(at, at + gramLength)) : undefined;
  }

  /** Whether a text may have a part of a key that has at least `length` characters. */
  mayHavePart(text: string, length: number): boolean {
    const stride = strideFor(length);
    // Bytes are read faster than characters; those of wide ones are not all needed.
    const { buffer, byteOffset } = Buffer.from(text, "latin1");
    const bytes = new Uint8Array(buffer, byteOffset, text.length);
    const end = text.length - gramLength;
    for (let at = 0; at <= end; at += stride) {
      const sum = (bytes[at] ?? 0) + 41 * (bytes[at + 3] ?? 0) + 1_681 * (bytes[at + 7] ?? 0);
      if (this.#sums[sum & sumMask] === 1 && this.#places.has(text.slice(at, at + gramLength))) return true;
    }
    return false;
  }
}

/** So far apart that every part of a length has a whole gram at one of the places. */
export function strideFor(length: number): number {
  return length - gramLength + 1;
}

/** Differs for most pieces of eight characters. */
function sumAt(text: string, at: number): number {
  const last = text.charCodeAt(at + gramLength - 1) & 255;
  return ((text.charCodeAt(at) & 255) + 41 * (text.charCodeAt(at + 3) & 255) + 1_681 * last) & sumMask;
}
