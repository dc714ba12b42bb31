import { describe, expect, test } from "vitest";
import { compile } from "../../src/ere/index.ts";
import { dead, LazyDfa, matched, StateCache } from "../../src/ere/lazy-dfa.ts";
import { parse } from "../../src/ere/parser.ts";
import { Alphabet, assemble, lineEnd } from "../../src/ere/program.ts";

const matches = (pattern: string, text: string | Buffer, ignoreCase = false) =>
  compile(pattern, { ignoreCase }).test(Buffer.from(text));

describe("what a pattern matches", () => {
  test.each([
    ["^(a{3}){0,2}$", ["", "aaa", "aaaaaa"], ["a", "aa", "aaaa", "aaaaa"]],
    ["^(a{2,3}){2}$", ["aaaa", "aaaaa", "aaaaaa"], ["aaa", "aaaaaaa"]],
    ["^(a{2}){1,2}$", ["aa", "aaaa"], ["a", "aaa"]],
    ["-\\B-", ["--", "a--b"], ["-", "-a-"]],
    ["a\\Bb", ["ab"], ["a b"]],
    ["(^a?){2}1", ["a1", "1"], ["aa1"]],
    ["(^a?)(^a?)1", ["a1", "1"], ["aa1"]],
  ] as const)("%s", (pattern, some, others) => {
    for (const text of some) expect(matches(pattern, text), text).toBe(true);
    for (const text of others) expect(matches(pattern, text), text).toBe(false);
  });

  test("letters that fold into ASCII, in either case", () => {
    expect(matches("s", "ſ", true)).toBe(true);
    expect(matches("i", "ı", true)).toBe(true);
    expect(matches("s", "ſ")).toBe(false);
  });

  test("title-case letters by whether they have a counterpart in the other case, as in glibc", () => {
    for (const letter of "ǅǈǋǲ") expect(matches("^[[:lower:]]$", letter), letter).toBe(true);
    for (const letter of "ᾈᾏᾘᾟᾨᾯᾼῌῼ") expect(matches("^[[:lower:]]$", letter), letter).toBe(false);
    for (const letter of "ǅᾈ") expect(matches("^[[:upper:]]$", letter), letter).toBe(true);
  });

  test("no byte of a surrogate, an overlong form or a code point beyond Unicode", () => {
    for (const bytes of ["eda080", "edbfbf", "e09f80", "f08f8080", "f4908080", "f8908080", "c080", "e9"]) {
      expect(matches("^.", Buffer.from(bytes, "hex")), bytes).toBe(false);
      expect(matches("^x.*$", Buffer.from(`78${bytes}`, "hex")), bytes).toBe(false);
    }
    for (const bytes of ["ed9fbf", "ee8080", "e0a080", "f0908080", "f48fbfbf", "c280"]) {
      expect(matches("^.$", Buffer.from(bytes, "hex")), bytes).toBe(true);
    }
  });
});

describe("states", () => {
  test("are dropped when they would take more than 8 MiB", () => {
    const cache = new StateCache(256);
    const positions = new Int32Array(16);
    for (let state = 0; state < 20_000; state++) {
      positions[0] = state;
      cache.intern(positions, positions.length, 0);
    }
    expect(cache.epoch).toBeGreaterThan(1);
    // Buffers grow by doubling, so twice the used memory may be allocated.
    expect(cache.transitions.byteLength).toBeLessThanOrEqual(2 * 4 * 1024 * 1024);
  });

  test("are kept as long as they take less", () => {
    const cache = new StateCache(256);
    const positions = new Int32Array(16);
    const states = Array.from({ length: 1_000 }, (_, state) => {
      positions[0] = state;
      return cache.intern(positions, positions.length, 0);
    });
    expect(cache.epoch).toBe(1);
    positions[0] = 7;
    expect(cache.intern(positions, positions.length, 0)).toBe(states[7]);
  });

  test("adapt to more non-ASCII characters than they started with", () => {
    const letters = ["à", "á", "â", "ã", "ä", "å", "x"];
    const regex = compile(`^(${letters.slice(0, -1).join("|")})+x$`);
    for (const first of letters) {
      for (const second of letters) {
        for (const text of [first, first + second, `${first + second}x`]) {
          expect(regex.test(Buffer.from(text)), text).toBe(/^[à-å]+x$/u.test(text));
        }
      }
    }
  });

  test("end at the first character that cannot start a match at the line start", () => {
    const program = assemble(parse("^ab", false).tree);
    const alphabet = new Alphabet(program.sets, { ignoreCase: false, seesWords: false });
    const dfa = new LazyDfa(program, alphabet);
    const after = (text: string) =>
      [...text].reduce((state, character) => dfa.next(state, alphabet.ofByte[character.charCodeAt(0)] ?? 0), dfa.start);
    expect(after("x")).toBe(dead);
    expect(dfa.next(after("a"), lineEnd)).not.toBe(matched);
  });
});

test("a line that needs too many states for back-references counts as a match", () => {
  const pattern = "^(.*)(.*)(.*)(.*)-\\4\\3\\2\\1x\\1$";
  // Not a repetition of the first half, so a match would need every group to be empty.
  expect(matches(pattern, `${"ab".repeat(3)}-${"ab".repeat(3)}`)).toBe(false);
  expect(matches(pattern, `${"a".repeat(60)}-${"a".repeat(59)}xb`)).toBe(true);
});
