// @module-tag tables
import { copyFileSync } from "node:fs";
import { call, describeTool, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answering, askUser, bin } from "./user.ts";

// Without a host: there is no user to ask.
describeTool(bin, { test, calls: [{ question: "Which?" }, { question: "Which?", options: ["a", "b"] }] });

const failure = (code: string) => ({ error: expect.any(String), error_code: code, hint: expect.any(String) });

test("asks the question, and answers with what the user says", async () => {
  const { result, requests } = await askUser({ question: "Which colour?" }, answering({ answer: "dark\nblue é" }));
  expect(result).toEqual({ answer: "dark\nblue é" });
  expect(requests).toEqual([{ id: 1, method: "ask", params: { question: "Which colour?" } }]);
});

test("passes on the options", async () => {
  const args = { question: "Which colour?", options: ["red", "blue"] };
  const { result, requests } = await askUser(args, answering({ answer: "blue" }));
  expect(result).toEqual({ answer: "blue" });
  expect(requests).toMatchObject([{ params: args }]);
});

test("reads a reply that comes in pieces, after other lines", async () => {
  const host = ({ id }: { id?: unknown }) =>
    `{"id":77,"result":{}}\nnot JSON\n${JSON.stringify({ id, result: { answer: "a" } })}\n`;
  expect((await askUser({ question: "Which?" }, host)).result).toEqual({ answer: "a" });
});

test("says that the user refuses", async () => {
  const { result } = await askUser({ question: "Which?" }, answering({ refused: true }));
  expect(result).toEqual(failure("REFUSED"));
});

test("says that there is no user, without a request", async () => {
  const { result, requests } = await askUser({ question: "Which?" }, answering({ answer: "a" }), "permission");
  expect([result, requests]).toEqual([failure("NO_USER"), []]);
  expect((await call(bin, { question: "Which?" })).result).toEqual(failure("NO_USER"));
});

test.each(["NO_USER", "NO_ANSWER"])("passes on %s", async (code) => {
  const host = ({ id }: { id?: unknown }) => `${JSON.stringify({ id, error: { code, message: "Why." } })}\n`;
  expect((await askUser({ question: "Which?" }, host)).result).toMatchObject({ error: "Why.", error_code: code });
});

test("does not wait for a host that closes the connection", async () => {
  expect((await askUser({ question: "Which?" }, () => undefined)).result).toEqual(failure("NO_USER"));
});

test.each([
  [{ question: " " }, "The question is empty."],
  [{ question: "x".repeat(2_049) }, "The question has 2049 bytes. At most 2048 are allowed."],
  [{ question: "q", options: ["a", "a"] }, "Two options are equal."],
  [{ question: "q", options: ["a", "b\nc"] }, 'Each option has 1 to 256 bytes on one line, unlike "b\\nc".'],
  [{ question: "q", options: ["a", "b".repeat(257)] }, expect.stringContaining("Each option has 1 to 256 bytes")],
])("refuses %j", async (args, error) => {
  const { result, requests } = await askUser(args, answering({ answer: "a" }));
  expect([result, requests]).toEqual([{ error, error_code: "INVALID_ARG" }, []]);
});

test.each([["a"], [..."abcdefg"]])("refuses the number of the options %j", async (...options) => {
  const { result, requests } = await askUser({ question: "q", options }, answering({ answer: "a" }));
  expect([result, requests]).toMatchObject([{ error_code: "INVALID_PARAMS" }, []]);
});

test.each([
  { question: "x".repeat(2_048) },
  { question: "q", options: [..."abcdef"] },
  { question: "q", options: ["a", "b".repeat(256)] },
])("asks at the limit", async (args) => {
  expect((await askUser(args, answering({ answer: "a" }))).result).toEqual({ answer: "a" });
});

test.each(["module", "commonjs"])("works when copied below a package.json of type %s", async (type) => {
  const dir = await tempDir({ "package.json": JSON.stringify({ type }) });
  copyFileSync(bin, `${dir}/ask-user-tool`);
  expect((await call(`${dir}/ask-user-tool`, { question: "q" })).result).toEqual(failure("NO_USER"));
});
