import { expect, test } from "vitest";
import { lineReader } from "../src/index.ts";

function reading(maxBytes: number) {
  const found: string[] = [];
  const reader = lineReader(
    maxBytes,
    (line) => found.push(line.toString("utf8")),
    () => found.push("too long"),
  );
  return { found, reader, add: (text: string) => reader.add(Buffer.from(text)) };
}

test("lines arrive whole, wherever the chunks end", () => {
  const bytes = Buffer.from('{"a":"é"}\n\n{"b":2}\nrest');
  for (let size = 1; size <= bytes.length; size++) {
    const { found, reader } = reading(100);
    // As a caller that reads each chunk into the same buffer.
    const chunk = Buffer.alloc(size);
    for (let at = 0; at < bytes.length; at += size) reader.add(chunk.subarray(0, bytes.copy(chunk, 0, at, at + size)));
    expect(found).toEqual(['{"a":"é"}', "", '{"b":2}']);
    expect(reader.rest().toString("utf8")).toBe("rest");
    reader.drop();
    expect(reader.rest()).toHaveLength(0);
  }
});

test("a line of the limit arrives, a longer one is reported once, before it ends, and the next one arrives", () => {
  const { found, reader, add } = reading(4);
  add("1234\n12345");
  expect(found).toEqual(["1234", "too long"]);
  add("6789\nnext\n12345\n");
  expect(found).toEqual(["1234", "too long", "next", "too long"]);
  expect(reader.rest()).toHaveLength(0);
});
