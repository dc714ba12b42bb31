// Promise 8 of SECURITY.md.
import fc from "fast-check";
import { expect, test } from "vitest";
import { sanitise, sanitiseLine, sanitiseStrictly } from "../src/sanitise.ts";

test("shows a long row of flags by their numbers, and shorter ones as they are", () => {
  const row = (length: number) => "\u{1f1e9}\u{1f1ea}".repeat(length / 2);
  expect(sanitise(row(128))).toBe(row(128));
  expect(sanitise(`a${row(128)}\u{1f1e9}b`)).toBe(`a${"<U+1F1E9><U+1F1EA>".repeat(64)}<U+1F1E9>b`);
});

/** Random texts with many dangerous characters. */
const texts = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
    fc.constantFrom(
      "\u001b",
      "\u009b",
      "[",
      "]",
      "0;",
      "\u0007",
      "\r",
      "\n",
      "\t",
      "\u202e",
      "\u200d",
      "👩",
      "\u{e0041}",
      "\ud800",
      "a",
    ),
  ),
});

const dangerous =
  /(?!\n|\t|\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]|[\u200b\u200c\u2060\ufeff]|[\u{e0000}-\u{e007f}]/u;

test("lets nothing through that drives a terminal or is invisible", () => {
  fc.assert(
    fc.property(texts, (text) => !dangerous.test(sanitise(text))),
    { numRuns: 2_000 },
  );
});

test("gives the same result for a text in pieces as for the whole", () => {
  const parts = fc.array(texts.filter((text) => text.isWellFormed()));
  fc.assert(
    fc.property(parts, (pieces) => pieces.map(sanitise).join("") === sanitise(pieces.join(""))),
    { numRuns: 2_000 },
  );
});

test("shows any bytes the same wherever they are cut, without control characters", () => {
  const bytes = fc.uint8Array({ maxLength: 60 }).chain((random) =>
    fc.tuple(texts, fc.nat({ max: 200 })).map(([text, at]) => {
      const whole = Buffer.from(text);
      return Buffer.concat([
        whole.subarray(0, at % (whole.length + 1)),
        random,
        whole.subarray(at % (whole.length + 1)),
      ]);
    }),
  );
  const property = fc.property(bytes, fc.array(fc.nat({ max: 200 })), (whole, cuts) => {
    const ends = [...cuts.map((cut) => cut % (whole.length + 1)), 0, whole.length].sort((a, b) => a - b);
    const decoder = new TextDecoder();
    const pieces = ends
      .slice(1)
      .map((end, index) => decoder.decode(whole.subarray(ends[index], end), { stream: true }));
    const shown = [...pieces, decoder.decode()].map(sanitise).join("");
    expect(shown).toBe(sanitise(new TextDecoder().decode(whole)));
    expect(shown).not.toMatch(dangerous);
  });
  fc.assert(property, { numRuns: 2_000 });
});

test("leaves safe text unchanged, and is idempotent", () => {
  fc.assert(fc.property(texts, (text) => sanitise(sanitise(text)) === sanitise(text)));
  for (const text of ["plain text\n\tindented", "naïve café", "日本語 العربية עברית", "👩‍👩‍👧 ❤️ 1️⃣", "ﬁ ½ €"])
    expect(sanitise(text)).toBe(text);
});

test.each([
  ["\u001b[31mred\u001b[0m", "␛[31mred␛[0m"],
  ["\u001b]52;c;aGk=\u0007", "␛]52;c;aGk=␇"],
  ["\u009b31m\u0085", "<U+009B>31m<U+0085>"],
  ["a\u0000b\u007fc\rd\be", "a␀b␡c␍d␈e"],
  ["\u202eevil\u2066x\u2069", "<U+202E>evil<U+2066>x<U+2069>"],
  ["zero\u200bwidth\ufeff\u2060\u00ad", "zero<U+200B>width<U+FEFF><U+2060><U+00AD>"],
  ["\u{e0041}\u{e007f}", "<U+E0041><U+E007F>"],
  ["\u{13430}\u{13437}\u{1343f}", "<U+13430><U+13437><U+1343F>"],
  ["\u2028\u2029\ud800", "<U+2028><U+2029><U+D800>"],
])("shows %j", (text, shown) => {
  expect(sanitise(text)).toBe(shown);
});

test("in strict mode, keeps a joiner only in emoji", () => {
  expect(sanitiseStrictly("rm\u200d -rf\ufe0f 👩‍👧 ❤️ 1️⃣")).toBe("rm<U+200D> -rf<U+FE0F> 👩‍👧 ❤️ 1️⃣");
  expect(sanitiseStrictly("x1\ufe0f #\ufe0f a\ufe0f\u200d")).toBe("x1<U+FE0F> #<U+FE0F> a<U+FE0F><U+200D>");
});

test.each(["\u00a0", "\u1680", "\u2003", "\u202f", "\u205f", "\u3000", "\u2800"])(
  "in strict mode, shows what looks like a space but separates no words: %j",
  (space) => {
    const sign = `<U+${space.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`;
    expect(sanitiseStrictly(`./run.sh${space}--check x`)).toBe(`./run.sh${sign}--check x`);
  },
);

test("a line stays one line", () => {
  expect(sanitiseLine("a\nb\tc\r\n")).toBe("a␊b␉c␍␊");
});
