import { expect, test } from "vitest";
import { OutputCollector } from "../src/call/output.ts";
import { ReplyReader } from "../src/workers/served/replies.ts";

/** Reads this text in pieces, with a call `c1` open. Returns what it was, and what the collector has. */
function read(text: string, pieceBytes: number, isOpen = true): unknown[] {
  const got: unknown[] = [];
  const output = new OutputCollector({ maxBytes: 1_000_000, callId: "" });
  const reader = new ReplyReader({
    ready: () => got.push("ready"),
    replied: (reply) => got.push(reply.kind === "refused" ? reply.reason : reply.kind),
    strayed: () => got.push("strayed"),
  });
  if (isOpen) reader.expect({ id: "c1", output });
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += pieceBytes) reader.push(bytes.subarray(start, start + pieceBytes));
  return [...got, output.answer?.ok ? output.answer.text : output.ends.toText()];
}

const long = JSON.stringify({ text: "é".repeat(500), call: "c1" });

test.each([
  ['{"call":"c1","answer":{"a":1}}\n{"ready":true}\n', ["answered", "ready", '{"a":1}']],
  ['{"call":"c1","answer":{"a":1}}\n{"ready":false}\n', ["answered", "strayed", '{"a":1}']],
  ['{"answer":{"a":1},"call":"c1"}\n', ["answered", '{"a":1}']],
  [' { "call" : "c1" , "answer" : { } } \r\n', ["answered", "{ }"]],
  [`{"call":"c1","answer":${long}}\n{"ready":true}\n`, ["answered", "ready", long]],
  [`{"answer":${long},"call":"c1"}\n`, ["answered", long]],
  ['{"call":"c1","refused":"no\\nway"}\n', ["no\nway", '{"call":"c1","refused":"no\\nway"}']],
  ['{"call":"c2","answer":{}}\n', ["strayed", '{"call":"c2","answer":{}}']],
  ['{"answer":{},"call":"c2"}\n', ["answered", '{},"call":"c2"}']],
  ['{"call":"c1","answer":{"a":1}\n', ["answered", '{"a":1']],
  ["\n", ["strayed", ""]],
  ["hello\n", ["strayed", "hello"]],
  ['{"call":"c1","answer":{}}\nhello\n', ["answered", "strayed", "{}"]],
] as const)("reads the reply %j however it arrives", (text, expected) => {
  for (const pieceBytes of [1, 2, 3, 7, 64, 255, 256, 257, 10_000]) {
    expect(read(text, pieceBytes), `in pieces of ${pieceBytes}`).toEqual(expected);
  }
});

test("takes only whether it is ready while no call is open", () => {
  for (const pieceBytes of [1, 10_000]) {
    expect(read('{"ready": true}\n', pieceBytes, false)).toEqual(["ready", ""]);
    expect(read('{"ready":false}\n', pieceBytes, false)).toEqual(["strayed", ""]);
    expect(read('{"call":"c1","answer":{}}\n', pieceBytes, false)).toEqual(["strayed", ""]);
    // Without a line's end, too.
    expect(read("x".repeat(300), pieceBytes, false)[0]).toBe("strayed");
  }
});
