import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fitFailure } from "../src/answer.ts";
import { ToolFailure } from "../src/failure.ts";
import { fitAnswer } from "../src/fit-answer.ts";

test("prints a failure whole if it fits", () => {
  const failure = new ToolFailure("NOT_FOUND", "Nothing there", { hint: "Look elsewhere", lines: [3] });
  const whole = '{"error":"Nothing there","error_code":"NOT_FOUND","hint":"Look elsewhere","lines":[3]}';
  expect(fitFailure(failure, Number.POSITIVE_INFINITY)).toBe(whole);
  expect(fitFailure(failure, whole.length)).toBe(whole);
  expect(JSON.parse(fitFailure(failure, whole.length - 1))).toEqual({
    error: "Nothing there",
    error_code: "NOT_FOUND",
    truncated: true,
  });
});

test("cuts the message first, and leaves out the details if they would take half of the answer", () => {
  const help = { steps: ["Set KEY"] };
  const cut = (hint: string) =>
    JSON.parse(fitFailure(new ToolFailure("INVALID", "m".repeat(500), { hint, help }), 400, ["other"]));
  expect(cut("Look elsewhere")).toEqual({
    error: expect.stringMatching(/^m{200,}$/),
    error_code: "INVALID",
    hint: "Look elsewhere",
    help,
    ignored: ["other"],
    truncated: true,
  });
  expect(cut("h".repeat(200))).toEqual({
    error: expect.stringMatching(/^m{300,}$/),
    error_code: "INVALID",
    truncated: true,
  });
});

test("keeps any failure within the limit, as JSON, cut at a character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.string(),
      fc.integer({ min: 60, max: 200 }),
      (error, hint, maxBytes) => {
        const text = fitFailure(new ToolFailure("OPEN_FAILED", error, { hint }), maxBytes);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
        const answer = JSON.parse(text) as { error: string; error_code: string };
        expect(answer.error_code).toBe("OPEN_FAILED");
        expect(error.startsWith(answer.error)).toBe(true);
        expect(answer.error.isWellFormed()).toBe(true);
      },
    ),
  );
});

test("works out again what follows from an output that was cut", () => {
  const recount = ({ output }: { output?: unknown }) => ({ lines: String(output).split("\n").length - 1 });
  const options = { maxBytes: 60, keeps: "head", serialize: JSON.stringify, recount } as const;
  const answer = { output: "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n", lines: 10 };
  expect(JSON.parse(fitAnswer(answer, options))).toEqual({ output: "one\ntwo\nthree\n", lines: 3, truncated: true });
  expect(JSON.parse(fitAnswer(answer, { ...options, maxBytes: 100 }))).toEqual(answer);
});

test("leaves out all of an output for which there is no room", () => {
  const options = { maxBytes: 41, keeps: "head", serialize: JSON.stringify } as const;
  for (const first of ["\n", "a", "😀"]) {
    const text = fitAnswer({ output: `${first}${"x".repeat(50)}`, long: "y" }, options);
    expect(JSON.parse(text)).toEqual({ output: "", long: "y", truncated: true });
  }
});
