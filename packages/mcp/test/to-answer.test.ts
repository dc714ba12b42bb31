import type { JsonObject } from "@ikigai/protocol";
import { describe, expect, test } from "vitest";
import { checkArguments, toAnswer } from "../src/bridge/call-server.ts";

/** The answer, and the files that were stored for it. */
function answerTo(result: JsonObject) {
  const files: [string, string][] = [];
  const answer = toAnswer(result, (bytes, mimeType) => {
    files.push([bytes.toString(), mimeType]);
    return `/data/files/${files.length}`;
  });
  return { answer, files };
}

const text = (value: string) => ({ type: "text", text: value });
const data = Buffer.from("bytes").toString("base64");

describe("the answer to a result", () => {
  test("joins texts with line breaks", () => {
    expect(answerTo({ content: [text("a"), text("b")] }).answer).toEqual({ output: "a\nb" });
    expect(answerTo({ content: [] }).answer).toEqual({ output: "" });
  });

  test("has a structured result once, also if the server repeats it as text", () => {
    const structured = { a: 1, b: [2] };
    expect(answerTo({ content: [text('{"b":[2],\n"a":1}')], structuredContent: structured }).answer).toEqual({
      structured,
    });
    expect(answerTo({ content: [], structuredContent: structured }).answer).toEqual({ structured });
    expect(answerTo({ content: [text("one")], structuredContent: structured }).answer).toEqual({
      output: "one",
      structured,
    });
  });

  test("has the structured result of an error without a text", () => {
    const error = { isError: true, content: [], structuredContent: { message: "quota exceeded" } };
    expect(answerTo(error).answer).toEqual({ error: '{"message":"quota exceeded"}', error_code: "MCP_TOOL_ERROR" });
    expect(answerTo({ isError: true, content: [] }).answer.error).toBe("The tool reported an error without a message.");
  });

  test("has images as files, and names their paths", () => {
    const { answer, files } = answerTo({ content: [text("see"), { type: "image", data, mimeType: "image/png" }] });
    expect(answer).toEqual({
      output: "see\n[image /data/files/1]",
      images: [{ path: "/data/files/1", mime_type: "image/png" }],
    });
    expect(files).toEqual([["bytes", "image/png"]]);
  });

  test("has audio and other images as files only", () => {
    const content = [
      { type: "audio", data, mimeType: "audio/wav" },
      { type: "image", data, mimeType: "image/svg+xml" },
    ];
    expect(answerTo({ content }).answer).toEqual({ output: "[audio /data/files/1]\n[image /data/files/2]" });
  });

  test("has resources with their addresses", () => {
    const content = [
      { type: "resource", resource: { uri: "x://1", text: "one" } },
      { type: "resource", resource: { uri: "x://2", blob: data, mimeType: "application/pdf" } },
      { type: "resource_link", uri: "x://3", name: "three" },
    ];
    expect(answerTo({ content }).answer).toEqual({
      output: "[x://1]\none\n[x://2]\n[file /data/files/1]\n[resource three x://3]",
    });
  });

  test("is an error if the tool says so", () => {
    expect(answerTo({ content: [text("no")], isError: true }).answer).toEqual({
      error: "no",
      error_code: "MCP_TOOL_ERROR",
    });
    expect(answerTo({ content: [], isError: true }).answer.error).not.toBe("");
  });
});

describe("arguments", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "string" }, n: { type: ["integer", "null"] }, any: {}, kind: { type: "odd" } },
    required: ["a"],
  };

  test.each([
    [{}, 'Expected "a" to be a string, got nothing.'],
    [{ a: null }, 'Expected "a" to be a string, got nothing.'],
    [{ a: 1.5 }, 'Expected "a" to be a string, got a number.'],
    [{ a: "x", n: 1.5 }, 'Expected "n" to be an integer, got a number.'],
  ])("%j are refused", (args, refusal) => {
    expect(checkArguments(args, schema)).toEqual({ refusal });
  });

  test.each([
    [
      { a: "x", n: null, any: null, kind: 3 },
      { a: "x", n: null, any: null, kind: 3 },
    ],
    [
      { a: "x", unknown: null },
      { a: "x", unknown: null },
    ],
    [
      { a: 1, n: "2" },
      { a: "1", n: 2 },
    ],
  ])("%j are sent as %j", (args, sent) => {
    expect(checkArguments(args, schema)).toEqual({ arguments: sent });
  });

  test("lose a null that the schema does not allow, and what a closed schema does not name", () => {
    const closed = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
    expect(checkArguments({ a: null, toString: 1 }, closed)).toEqual({ arguments: {} });
  });
});
