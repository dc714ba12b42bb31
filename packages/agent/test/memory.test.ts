import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Model, ModelEvent } from "@ikigai/models";
import { expect, inject, test } from "vitest";
import { agent } from "./agent-setup.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
const talker: Model = {
  id: "x/m",
  async *stream(): AsyncGenerator<ModelEvent> {
    yield { type: "text", text: "ok", block: "1" };
    yield { type: "finish", reason: "stop", usage };
  },
};

const turns = inject("isThorough") ? 10_000 : 2_000;

test(`keeps little more than the messages of ${turns} turns in memory`, async () => {
  const one = await agent({});
  const controller = new AbortController();
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  for (let n = 0; n < turns; n++) await one.say(talker, "go", { emit: () => {}, signal: controller.signal });
  const grown = heap() - before;
  expect(one.conversation.messages).toHaveLength(2 * turns);
  // Two small objects, an array and two strings a turn are some 400 bytes.
  expect(grown / turns).toBeLessThan(1_000);
});
