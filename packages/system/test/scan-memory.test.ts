import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { findLiterals } from "../../posix/src/ere/literals.ts";
import { createSimdMemory, plainMemory, type ScanMemory } from "../src/text/scan-memory.ts";

/** The size of a search's buffer. */
const chunkBytes = 262_144;

function simdMemory(): ScanMemory {
  const memory = createSimdMemory();
  if (memory === undefined) throw new Error("no SIMD");
  return memory;
}

const memories = { JavaScript: () => ({ ...plainMemory, findLiterals }), WebAssembly: simdMemory };

/** A search for texts in bytes of `memory`. */
function finder(memory: ScanMemory, texts: readonly string[], ignoreCase = false) {
  const find = memory.findLiterals?.(ignoreCase ? texts.map(upperCase) : texts, ignoreCase);
  const buffer = memory.allocate(chunkBytes);
  return (bytes: Buffer, from = 0, to = bytes.length) => {
    bytes.copy(buffer);
    return find?.(buffer.subarray(0, to), from, to);
  };
}

/** The same, by `indexOf` of strings with a character for each byte. */
function firstOf(bytes: Buffer, texts: readonly string[], ignoreCase: boolean, from: number, to: number): number {
  const fold = (text: string) => (ignoreCase ? upperCase(text) : text);
  const haystack = fold(bytes.toString("latin1", 0, to));
  const places = texts.map((text) => haystack.indexOf(fold(Buffer.from(text).toString("latin1")), from));
  return Math.min(...places.map((place) => (place < 0 ? Number.POSITIVE_INFINITY : place)));
}

/** Upper case in ASCII. */
function upperCase(text: string): string {
  return text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

const few = fc.constantFrom("a", "b", "B", "\0", "@", "`");
const any = fc.constantFrom(..."aAzZ{[@`_ 09é€\0\u007f");
const length = { maxLength: 64 };
const texts = fc.oneof(
  fc.array(fc.string({ unit: few, minLength: 1, ...length }), { minLength: 1, maxLength: 1 }),
  fc.array(fc.string({ unit: any, minLength: 3, ...length }), { minLength: 1, maxLength: 32 }),
  fc.array(fc.string({ unit: few, minLength: 3, maxLength: 5 }), { minLength: 2, maxLength: 32 }),
);
/** Bytes between the texts. */
const noise = fc.oneof(
  fc.uint8Array({ maxLength: 70 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: few, maxLength: 70 }).map((text) => Buffer.from(text)),
  fc.constantFrom(Buffer.alloc(16), Buffer.alloc(33, 0xff), Buffer.alloc(48, "a")),
);
const search = fc
  .record({ texts, ignoreCase: fc.boolean(), parts: fc.array(noise, { maxLength: 6 }), seed: fc.nat() })
  .chain(({ parts, seed, ...given }) => {
    const planted = parts.flatMap((part, index) => {
      const text = given.texts[(seed + index) % given.texts.length] ?? "";
      // Some in the other case, some without their last byte.
      const bytes = Buffer.from(seed % 3 === 0 ? upperCase(text) : text);
      return [part, bytes.subarray(0, (seed >> index) % 4 === 0 ? -1 : bytes.length)];
    });
    const bytes = Buffer.concat(planted);
    const range = fc.record({ from: fc.nat(Math.min(bytes.length, 40)), cut: fc.nat(20) });
    return range.map((range) => ({ ...given, ...range, bytes }));
  });

describe.each(Object.entries(memories))("literals found by %s", (_, create) => {
  test("are the first ones, in any bytes", () => {
    fc.assert(
      fc.property(search, ({ texts, ignoreCase, bytes, from, cut }) => {
        const find = finder(create(), texts, ignoreCase);
        const to = Math.max(from, bytes.length - cut);
        const expected = firstOf(bytes, texts, ignoreCase, from, to);
        const found = find(bytes, from, to);
        // With short texts that ignore case, JavaScript has no search.
        if (found !== undefined) expect(found).toBe(expected === Number.POSITIVE_INFINITY ? -1 : expected);
      }),
      { numRuns: 400 },
    );
  });

  test.each([1, 2, 3, 15, 16, 17, 31, 32, 33, 64])("of %d bytes are found at every place and in every size", (size) => {
    const text = `${"x".repeat(size - 1)}y`;
    const several = size < 3 ? [text] : [text, "other", `${text}z`];
    for (const texts of [[text], several]) {
      const find = finder(create(), texts);
      for (let place = 0; place < 70; place++) {
        const bytes = Buffer.concat([Buffer.alloc(place, "x"), Buffer.from(text)]);
        const first = bytes.indexOf(text);
        expect(find(bytes)).toBe(first);
        expect(find(bytes, first)).toBe(first);
        expect(find(bytes, first + 1)).toBe(-1);
        // The last byte is after the end.
        expect(find(bytes, 0, bytes.length - 1)).toBe(-1);
      }
    }
  });

  test("may overlap, and the first place counts", () => {
    const find = finder(create(), ["abcabd", "cabx", "bcab"]);
    expect(find(Buffer.from("--abcabcabx"))).toBe(3);
    expect(find(Buffer.from("--abcabcabd"))).toBe(3);
    expect(find(Buffer.from("--abca-cabx"))).toBe(7);
  });

  test("are found at the end of the memory", () => {
    const bytes = Buffer.alloc(chunkBytes, "need");
    bytes.write("needle", chunkBytes - 6);
    expect(finder(create(), ["needle"])(bytes)).toBe(chunkBytes - 6);
    expect(finder(create(), ["needle", "nail"])(bytes)).toBe(chunkBytes - 6);
    expect(finder(create(), ["needles", "nails"])(bytes)).toBe(-1);
  });

  test("ignore the case of ASCII letters only", () => {
    const find = finder(create(), ["[key]é@"], true);
    expect(find(Buffer.from("[KEY]é`"))).toBe(-1);
    expect(find(Buffer.from("{key}é@"))).toBe(-1);
    expect(find(Buffer.from("[kEy]É@"))).toBe(-1);
    expect(find(Buffer.from(" [kEy]é@"))).toBe(1);
  });
});

describe.each(Object.entries(memories))("newlines counted by %s", (_, create) => {
  test("are all of a range, of any size", () => {
    const memory = create();
    const buffer = memory.allocate(chunkBytes);
    const sizes = fc.oneof(fc.nat(70), fc.integer({ min: 4_050, max: 4_120 }), fc.nat(20_000));
    fc.assert(
      fc.property(sizes, fc.nat(40), fc.constantFrom(1, 2, 7, 90), fc.nat(), (size, from, distance, seed) => {
        for (let at = 0; at < from + size + 40; at++)
          buffer[at] = (at + seed) % distance === 0 ? 0x0a : ([0x0b, 0x8a, 0x00, 0xff][at % 4] ?? 0);
        let expected = 0;
        for (let at = from; at < from + size; at++) if (buffer[at] === 0x0a) expected++;
        expect(memory.countNewlines(buffer, from, from + size)).toBe(expected);
      }),
    );
  });
});

describe("memory of WebAssembly", () => {
  afterEach(() => {
    delete process.env.IKIGAI_NO_SIMD;
  });

  test("keeps its content and its literals when it grows", () => {
    const memory = simdMemory();
    const find = memory.findLiterals?.(["needle"], false);
    memory.allocate(chunkBytes).write("a needle");
    const larger = memory.allocate(16 * chunkBytes);
    larger.write("needle", larger.length - 6);
    expect(find?.(larger, 0, larger.length)).toBe(2);
    expect(find?.(larger, 3, larger.length)).toBe(larger.length - 6);
  });

  test("searches for several sets of literals", () => {
    const memory = simdMemory();
    const [one, other] = [["needle"], ["one", "two"]].map((texts) => memory.findLiterals?.(texts, false));
    const bytes = memory.allocate(chunkBytes);
    bytes.write("two needles");
    expect([one?.(bytes, 0, 11), other?.(bytes, 0, 11)]).toEqual([4, 0]);
  });

  test("leaves literals that do not fit into its first page to JavaScript", () => {
    // A page, without scratch memory, the header of a set, and that of a literal; each byte takes two.
    const most = (65_536 - 16 - 128 - 8) / 2;
    expect(simdMemory().findLiterals?.(["x".repeat(most - (most % 16))], false)).toBeDefined();
    expect(simdMemory().findLiterals?.(["x".repeat(most + 1)], false)).toBeUndefined();
  });

  test("leaves several literals of which one is short to JavaScript", () => {
    expect(simdMemory().findLiterals?.(["abc", "ab"], false)).toBeUndefined();
    expect(simdMemory().findLiterals?.(["abc", "abd"], false)).toBeDefined();
  });

  test("is not used where it is missing or not wanted", () => {
    expect(createSimdMemory()).toBeDefined();
    process.env.IKIGAI_NO_SIMD = "1";
    expect(createSimdMemory()).toBeUndefined();
  });
});
