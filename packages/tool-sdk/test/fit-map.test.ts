import { expect, test } from "vitest";
import { fitAnswer } from "../src/fit-answer.ts";

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** What is printed of an answer. */
function fit(
  answer: Record<string, unknown>,
  maxBytes: number,
  serialize: (answer: unknown) => string = JSON.stringify,
) {
  const text = fitAnswer(answer, { maxBytes, keeps: "head", serialize });
  return { bytes: Buffer.byteLength(text), answer: JSON.parse(text) as Record<string, unknown> };
}

/** An object with this many fields, all with the same value. */
function map(count: number, value: unknown): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
}

test.each([[7], ["text"], [["a", "b"]], [{ a: 1 }]])(
  "a map of %j loses its last fields, and the text beside it nothing",
  (value) => {
    const output = "a line\n".repeat(20);
    const { bytes, answer } = fit({ map: map(5_000, value), output }, 1_000);
    const kept = Object.keys(answer.map as object).length;
    expect(answer).toEqual({ map: map(kept, value), output, truncated: true });
    expect(bytes).toBeLessThanOrEqual(1_000);
    expect(bytes).toBeGreaterThan(980);
  },
);

test("a map keeps every field that fits, to the byte", () => {
  const size = bytesOf({ map: map(40, 7), truncated: true });
  expect(fit({ map: map(50, 7) }, size).answer).toEqual({ map: map(40, 7), truncated: true });
  expect(fit({ map: map(50, 7) }, size - 1).answer).toEqual({ map: map(39, 7), truncated: true });
});

test("a map is cut inside its first field if that alone is too long", () => {
  const { answer } = fit({ map: { first: "line\n".repeat(100), ...map(50, 7) } }, 60);
  expect(answer).toEqual({ map: { first: "line\nline\nline\n" }, truncated: true });
});

test.each([
  ["32 fields keep their names", 32, 32 * 20, 32],
  ["33 fields keep their names if 100 bytes are left of each", 33, 33 * 100, 33],
  ["33 fields do not if 99 bytes are left of each", 33, 33 * 100 - 1, 17],
])("%s", (_, count, share, kept) => {
  const empty = bytesOf({ map: map(count, ""), truncated: true });
  const { answer } = fit({ map: map(count, "x".repeat(200)) }, empty + share);
  expect(Object.keys(answer.map as object)).toHaveLength(kept);
});

test.each([
  ["numbers", map(50, 7)],
  ["texts", map(50, "text")],
])("an answer of many %s that cannot be cut to fit is printed whole", (_, answer) => {
  expect(fit(answer, 100).answer).toEqual(answer);
});

test("an answer is cut as long as what cannot be cut fits", () => {
  const answer = { ...map(20, 7), output: "x".repeat(100) };
  const least = bytesOf({ ...answer, output: "", truncated: true });
  expect(fit(answer, least).answer).toEqual({ ...answer, output: "", truncated: true });
  expect(fit(answer, least - 1).answer).toEqual(answer);
});

test("an object keeps the fields that its schema requires", () => {
  const serialize = (answer: unknown) => {
    const { page, map: sizes } = answer as { page: { id?: number }; map: object };
    if (page.id === undefined) throw new Error('"id" is required!');
    return JSON.stringify({ page, map: sizes, ...((answer as { truncated?: true }).truncated && { truncated: true }) });
  };
  const page = { id: 1, text: "short" };
  const { answer, bytes } = fit({ page, map: map(5_000, 7) }, 200, serialize);
  expect(answer).toMatchObject({ page, truncated: true });
  expect(bytes).toBeLessThanOrEqual(200);
});
