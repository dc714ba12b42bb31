import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { LightStream, ReadableStream, TextDecoderStream, TransformStream } from "../src/light-streams.ts";

/** Numbers without end. Notes how many were asked for, and whether the reader has stopped it. */
function counting() {
  const seen = { read: 0, isEnded: false };
  async function* numbers() {
    try {
      for (;;) yield ++seen.read;
    } finally {
      seen.isEnded = true;
    }
  }
  return { seen, numbers: numbers() };
}

/** Doubles numbers, with a chunk before them; after two of them it fails. */
const doubling = () =>
  new TransformStream<number, number>({
    start: (controller) => controller.enqueue(0),
    transform(chunk, controller) {
      controller.enqueue(2 * chunk);
      if (chunk === 2) controller.error(new Error("enough"));
    },
  });

async function read(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (error) {
    chunks.push((error as Error).message);
  }
  return chunks;
}

test("passes on what precedes an error, and ends the source", async () => {
  const { seen, numbers } = counting();
  expect(await read(new LightStream(numbers).pipeThrough(doubling()))).toEqual([0, 2, 4, "enough"]);
  expect(seen).toEqual({ read: 2, isEnded: true });
});

test("reads no more than it is asked for, and ends the source when cancelled", async () => {
  const { seen, numbers } = counting();
  const reader = new LightStream(numbers).pipeThrough(doubling()).getReader();
  expect([await reader.read(), await reader.read()]).toMatchObject([{ value: 0 }, { value: 2 }]);
  await nextTurn();
  expect(seen).toEqual({ read: 1, isEnded: false });
  await reader.cancel();
  expect(seen.isEnded).toBe(true);
});

test("runs flush after the last chunk", async () => {
  const source = new ReadableStream<number>({
    start(controller) {
      for (const chunk of [1, 2]) controller.enqueue(chunk);
      controller.close();
    },
  });
  let sum = 0;
  const summing = new TransformStream<number, number>({
    transform(chunk) {
      sum += chunk;
    },
    flush: (controller) => controller.enqueue(sum),
  });
  expect(await read(source.pipeThrough(summing))).toEqual([3]);
});

test("pulls until closed, and cancels the source of a reader that stops", async () => {
  const log: string[] = [];
  const pulling = (most: number) => {
    let next = 0;
    return new ReadableStream<number>({
      async pull(controller) {
        if (next === most) controller.close();
        else controller.enqueue(next++);
      },
      cancel: () => void log.push("cancelled"),
    });
  };
  expect(await read(pulling(3))).toEqual([0, 1, 2]);
  for await (const _ of pulling(3)) break;
  expect(log).toEqual(["cancelled"]);
});

test("reports a failure of the source to the reader", async () => {
  const failing = new ReadableStream<number>({
    pull: (controller) => controller.error(new Error("lost")),
  });
  expect(await read(failing.pipeThrough(doubling()))).toEqual([0, "lost"]);
});

test("decodes characters that are split between chunks", async () => {
  const text = Buffer.from("\ufeffa€\u{1f600}");
  const parts = new LightStream(
    (async function* () {
      for (const byte of text) yield Uint8Array.of(byte);
      yield Uint8Array.of(0xe2);
    })(),
  );
  expect((await read(parts.pipeThrough(new TextDecoderStream()))).join("")).toBe("a€\u{1f600}\ufffd");
});

test("works with the platform's streams", async () => {
  const plain = new LightStream(counting().numbers).pipeThrough(
    new globalThis.TransformStream<number, number>({
      transform: (chunk, controller) => (chunk === 3 ? controller.terminate() : controller.enqueue(chunk)),
    }),
  );
  expect(await read(plain.pipeThrough(doubling()))).toContain("enough");
  const [one, other] = new ReadableStream<number>({
    start(controller) {
      controller.enqueue(7);
      controller.close();
    },
  }).tee();
  expect([await read(one), await read(other)]).toEqual([[7], [7]]);
});
