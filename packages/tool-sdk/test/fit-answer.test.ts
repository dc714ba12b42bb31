import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyValue, type FitOptions, fitAnswer } from "../src/fit-answer.ts";

const serialize = (answer: unknown) => JSON.stringify(answer);

function fit(answer: Record<string, unknown>, maxBytes: number, keeps: FitOptions["keeps"] = "head") {
  const text = fitAnswer(answer, { maxBytes, keeps, serialize });
  return { bytes: Buffer.byteLength(text), answer: JSON.parse(text) as { output: string; truncated?: boolean } };
}

/** Text of the kinds that are hard to cut: long and short lines, escapes, characters of one to four bytes. */
const hardText = fc
  .array(fc.constantFrom("a", "\n", "\t", '"', "\\", "\u0001", "é", "€", "😀", "word ", "\n\n", "x".repeat(60)), {
    maxLength: 200,
  })
  .map((parts) => parts.join(""));

describe("an answer with an output", () => {
  test("that fits is unchanged", () => {
    expect(fit({ output: "abc", count: 1 }, 100).answer).toEqual({ output: "abc", count: 1 });
  });

  test("is cut after a line, and says so; numbers stay", () => {
    const { answer } = fit({ output: `one\ntwo\n${"three".repeat(20)}\n`, count: 3 }, 80);
    expect(answer).toEqual({ output: "one\ntwo\n", count: 3, truncated: true });
  });

  test("recounts what depends on it, even if none of it is kept", () => {
    const recount = ({ output }: { output?: unknown }) => ({ length: String(output).length });
    const options = { maxBytes: 1_000, keeps: "head", serialize, recount } as const;
    const text = "x".repeat(3_000);
    const [one, none] = [
      { output: text, length: 3_000 },
      { output: text, length: 3_000, more: text.slice(1), count: 1 },
    ];
    const fitted = JSON.parse(fitAnswer(one, options));
    expect(fitted).toMatchObject({ length: fitted.output.length, truncated: true });
    expect(fitted.length).toBeGreaterThan(900);
    expect(JSON.parse(fitAnswer(none, options))).toMatchObject({ output: "", length: 0, count: 1, truncated: true });
  });

  test("keeps room for what is only counted if something is cut", () => {
    const recount = ({ output }: { output?: unknown }) => ({ lines: String(output).split("\n").length - 1 });
    const fitted = fitAnswer({ output: "line\n".repeat(100) }, { maxBytes: 300, keeps: "head", serialize, recount });
    expect(JSON.parse(fitted)).toEqual({ output: "line\n".repeat(43), lines: 43, truncated: true });
  });

  test("recounts what depends on any other field", () => {
    const recount = ({ items }: { items?: unknown }) => ({ total: Array.isArray(items) ? items.length : 0 });
    const items = Array.from({ length: 1_000 }, (_, index) => `item ${index}`);
    const fitted = JSON.parse(fitAnswer({ items, total: 1_000 }, { maxBytes: 300, keeps: "head", serialize, recount }));
    expect(fitted).toEqual({ items: items.slice(0, fitted.items.length), total: fitted.items.length, truncated: true });
    expect(fitted.total).toBeGreaterThan(10);
  });

  test("always fits, is JSON, and is a head of the text that ends at a character", () => {
    fc.assert(
      fc.property(hardText, fc.integer({ min: 40, max: 400 }), (output, maxBytes) => {
        const { bytes, answer } = fit({ output }, maxBytes);
        expect(bytes).toBeLessThanOrEqual(maxBytes);
        expect(output.startsWith(answer.output)).toBe(true);
        expect(answer.output.isWellFormed()).toBe(true);
        if (answer.truncated && answer.output.includes("\n")) expect(answer.output.endsWith("\n")).toBe(true);
      }),
    );
  });

  test("keeps head and tail if its tool asks for that, and says how much is missing between them", () => {
    fc.assert(
      fc.property(hardText, fc.integer({ min: 160, max: 600 }), (output, maxBytes) => {
        const { bytes, answer } = fit({ output }, maxBytes, "head and tail");
        expect(bytes).toBeLessThanOrEqual(maxBytes);
        expect(answer.output.isWellFormed()).toBe(true);
        if (!answer.truncated) return;
        const [head = "", leftOut, tail = ""] = answer.output.split(/\n?… (\d+) bytes left out …\n/);
        expect(output.startsWith(head)).toBe(true);
        expect(output.endsWith(tail)).toBe(true);
        const kept =
          output.startsWith(`${head}\n`) &&
          Buffer.byteLength(output) - Buffer.byteLength(head + tail) !== Number(leftOut)
            ? 1
            : 0;
        expect(Buffer.byteLength(output)).toBe(Buffer.byteLength(head + tail) + kept + Number(leftOut));
      }),
    );
  });
});

describe("an answer with a list", () => {
  test("loses its last items until it fits; only an item that is too long alone is cut", () => {
    fc.assert(
      fc.property(fc.array(hardText, { maxLength: 30 }), fc.integer({ min: 60, max: 2_000 }), (files, maxBytes) => {
        const text = fitAnswer({ files, count: files.length }, { maxBytes, keeps: "head", serialize });
        const answer = JSON.parse(text) as { files: string[]; count: number };
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
        expect(answer.count).toBe(files.length);
        const [first = ""] = files;
        const bytesOf = (value: object) => Buffer.byteLength(serialize(value));
        const isWhole = bytesOf({ files, count: files.length }) <= maxBytes;
        const firstFits = bytesOf({ files: [first], count: files.length, truncated: true }) <= maxBytes;
        if (isWhole) expect(answer.files).toEqual(files);
        else if (firstFits) expect(answer.files).toEqual(files.slice(0, answer.files.length));
        else expect(answer.files.length).toBeLessThanOrEqual(1);
        expect(answer.files.every((kept, index) => files[index]?.startsWith(kept) && kept.isWellFormed())).toBe(true);
      }),
    );
  });

  test("keeps the head of a text in its first item, and the fields beside it", () => {
    const body = `first line\n${"x".repeat(5_000)}`;
    const { answer } = fit(
      {
        pages: [
          { title: "A", body, size: 5_011 },
          { title: "B", body, size: 5_011 },
        ],
      },
      300,
    );
    expect(answer).toEqual({ pages: [{ title: "A", body: "first line\n", size: 5_011 }], truncated: true });
  });
});

describe("an answer with any fields", () => {
  const fields = fc.dictionary(
    fc.constantFrom("text", "tags", "body", "warnings", "output", "count"),
    fc.oneof(hardText, fc.array(hardText, { maxLength: 20 }), fc.nat()),
    { minKeys: 1 },
  );

  test("always fits, keeps its fields, and says when something was cut", () => {
    fc.assert(
      fc.property(
        fields,
        fc.integer({ min: 200, max: 2_000 }),
        fc.constantFrom("head", "head and tail"),
        (answer, maxBytes, keeps) => {
          const { bytes, answer: printed } = fit(answer, maxBytes, keeps);
          expect(bytes).toBeLessThanOrEqual(maxBytes);
          const { truncated, ...kept } = printed;
          expect(Object.keys(kept).sort()).toEqual(Object.keys(answer).sort());
          expect(truncated === true).toBe(Buffer.byteLength(serialize(answer)) > maxBytes);
        },
      ),
    );
  });

  test("loses its largest field, whatever the name", () => {
    const text = "x".repeat(5_000);
    expect(fit({ text }, 1_000).bytes).toBeGreaterThan(900);
    expect(fit({ tags: [], text }, 1_000).answer).toMatchObject({ tags: [], truncated: true });
    expect(fit({ warnings: [1, 2, 3], output: text }, 1_000).answer).toMatchObject({
      warnings: [1, 2, 3],
      truncated: true,
    });
    expect(fit({ files: [text, text], output: text }, 6_000).answer.output).toBe(text);
  });
});

describe("an answer with objects and lists in its fields", () => {
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      hardText,
      fc.nat(),
      fc.array(tie("value"), { maxLength: 6 }),
      fc.dictionary(fc.constantFrom("title", "body", "meta"), tie("value")),
    ),
  }));

  test("fits if its texts and lists are what makes it too long, and splits no character", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("page", "pages", "output"), value, { minKeys: 1 }),
        fc.integer({ min: 60, max: 2_000 }),
        fc.constantFrom("head", "head and tail"),
        (answer, maxBytes, keeps) => {
          const empty = Buffer.byteLength(serialize({ ...(emptyValue(answer) as object), truncated: true }));
          fc.pre(empty <= maxBytes);
          const text = fitAnswer(answer, { maxBytes, keeps, serialize });
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
          expect(text.isWellFormed()).toBe(true);
          expect(JSON.stringify(JSON.parse(text))).not.toMatch(/\\ud[89a-f]/);
          expect(emptyValue({ ...answer, truncated: 1 })).toEqual(emptyValue({ ...JSON.parse(text), truncated: 1 }));
        },
      ),
    );
  });

  test("keeps short fields whole and shares the room among long ones", () => {
    const answer = { page: { title: "short", left: "l".repeat(5_000), right: "r".repeat(5_000), size: 7 } };
    const { bytes, answer: printed } = fit(answer, 1_000);
    expect(bytes).toBeGreaterThan(990);
    expect(printed).toMatchObject({ page: { title: "short", size: 7 }, truncated: true });
    const { left, right } = (printed as unknown as typeof answer).page;
    expect(left.length).toBe(right.length);
  });

  test("fits even with many small parts", () => {
    const pages = Array.from({ length: 5_000 }, (_, id) => ({ id, body: "x".repeat(500) }));
    expect(fit({ site: { pages, name: "n".repeat(100_000) } }, 65_536).bytes).toBeLessThanOrEqual(65_536);
  });
});
