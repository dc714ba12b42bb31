import { maxOverflowBytes } from "@ikigai/protocol";
import { expect, test } from "vitest";
import { OutputCollector } from "../src/call/output.ts";
import { ServiceReader } from "../src/workers/service/replies.ts";

/** A reader with one open call, `c1`; `heard` is what it has passed on. */
function reading() {
  const heard: string[] = [];
  const reader = new ServiceReader({
    ready: () => heard.push("ready"),
    failed: () => heard.push("failed"),
    progressed: (id) => heard.push(`progress of ${id}`),
    replied: (id, { kind }) => heard.push(`${id} ${kind}`),
    strayed: (line) => heard.push(`strayed, ${line.length} bytes`),
    flooded: () => heard.push("flooded"),
  });
  reader.open(new OutputCollector({ maxBytes: 100, callId: "one" }));
  return { reader, heard };
}

test.each([
  [maxOverflowBytes, [`strayed, ${maxOverflowBytes} bytes`]],
  [maxOverflowBytes + 1, ["flooded"]],
])("keeps a line of 50 MiB, and no more: %i bytes", (bytes, expected) => {
  const { reader, heard } = reading();
  reader.push(Buffer.alloc(bytes, "x"));
  reader.push(Buffer.from("\n"));
  expect(heard.slice(0, 1)).toEqual(expected);
});

test.each([{ message: "connecting" }, {}, { progress: "half" }])("takes progress without a number: %j", (progress) => {
  const { reader, heard } = reading();
  reader.push(Buffer.from(`${JSON.stringify({ progress })}\n${JSON.stringify({ call: "c1", progress })}\n`));
  expect(heard).toEqual("progress" in progress ? [] : ["progress of undefined", "progress of c1"]);
});

test("the id of a call that has not been made is a mistake, and that of a call that is over is not", () => {
  const { reader, heard } = reading();
  const progressOf = (call: string) =>
    reader.push(Buffer.from(`${JSON.stringify({ call, progress: { progress: 1 } })}\n`));
  progressOf("c1");
  reader.push(Buffer.from('{"call":"c1","answer":{}}\n'));
  progressOf("c1");
  expect(heard).toEqual(["progress of c1", "c1 answered"]);
  progressOf("c2");
  expect(heard.at(-1)).toBe("strayed, 39 bytes");
});
