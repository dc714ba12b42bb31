import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readChunks } from "../src/process/read-output.ts";

const modestBytes = 1_048_576;
const ownBuffer = (bytes: number) => Buffer.from(new ArrayBuffer(bytes)).fill("x");

/** Reads these chunks, and returns the first and the last byte seen of each. */
async function read(chunks: readonly Buffer[]): Promise<string[]> {
  const stream = Readable.from(chunks, { objectMode: false, highWaterMark: 1 });
  const seen: string[] = [];
  readChunks(stream, (chunk) => seen.push(chunk.toString("latin1", 0, 1) + chunk.toString("latin1", chunk.length - 1)));
  await new Promise((settle) => stream.once("end", settle));
  return seen;
}

test("frees no buffer of a stream of a mebibyte", async () => {
  const chunks = [ownBuffer(modestBytes - 1), ownBuffer(1)];
  expect(await read(chunks)).toEqual(["xx", "xx"]);
  expect(chunks.map(({ length }) => length)).toEqual([modestBytes - 1, 1]);
});

test("frees every buffer from the one that exceeds a mebibyte, once it was passed on", async () => {
  const chunks = [ownBuffer(modestBytes), ownBuffer(1), ownBuffer(65_536)];
  expect(await read(chunks)).toEqual(["xx", "xx", "xx"]);
  expect(chunks.map(({ length }) => length)).toEqual([modestBytes, 0, 0]);
});

test("does not free a buffer that is part of a larger one", async () => {
  const whole = ownBuffer(100);
  const parts = [whole.subarray(0, 50), whole.subarray(50)];
  expect(await read([ownBuffer(modestBytes), ...parts])).toEqual(["xx", "xx", "xx"]);
  expect(whole.length).toBe(100);
});
