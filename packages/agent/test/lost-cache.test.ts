import type { Model, Usage } from "@ikigai/models";
import { expect, test, vi } from "vitest";
import { agent, noticesIn } from "./agent-setup.ts";

/** How many tokens a request has read from the cache and written to it. */
type Use = readonly [read: number, written: number];

/** A model that reports what it has read from its cache and written to it, request by request. */
function cachingModel(uses: readonly Use[]): Model {
  let requests = 0;
  return {
    id: "x/m",
    async *stream() {
      const [cacheReadTokens, cacheWriteTokens] = uses[requests++] ?? [0, 0];
      const inputTokens = cacheReadTokens + cacheWriteTokens + 100;
      yield { type: "text", text: "Fine." };
      yield {
        type: "finish",
        reason: "stop",
        usage: { inputTokens, outputTokens: 1, cacheReadTokens, cacheWriteTokens },
      };
    },
  };
}

/** Reading costs a tenth, writing a quarter more. */
const costOf = ({ inputTokens, cacheReadTokens: read, cacheWriteTokens: written }: Usage) =>
  (inputTokens - read - written + read / 10 + written * 1.25) * 5e-6;

/** The notices of each turn. */
async function noticesOf(uses: readonly Use[], before: Readonly<Record<number, () => void>> = {}) {
  const one = await agent({});
  const model = cachingModel(uses);
  const notices: string[][] = [];
  for (let turn = 0; turn < uses.length; turn++) {
    before[turn]?.();
    notices.push(noticesIn((await one.say(model, "go", { costOf })).events));
  }
  return notices;
}

const lost =
  "The provider's cache of this conversation was lost: 40k tokens cost the full price again (about $0.23 more).";

test("says once that the provider has lost the cache, with the price, and again after it has worked", async () => {
  const notices = await noticesOf([
    [0, 30_000],
    [30_000, 10_000],
    [0, 40_100],
    [0, 40_200],
    [40_000, 300],
    [100, 40_400],
  ]);
  expect(notices).toEqual([[], [], [lost], [], [], [lost]]);
});

test("says how long the conversation rested", async () => {
  const later = Date.now() + 7 * 60_000;
  vi.useFakeTimers({ toFake: ["Date"] });
  const notices = await noticesOf(
    [
      [0, 40_000],
      [0, 40_000],
    ],
    { 1: () => vi.setSystemTime(later) },
  );
  vi.useRealTimers();
  expect(notices[1]).toEqual([lost.replace("lost:", "lost, after 7 min:")]);
});

test("says nothing about a short conversation, a part of the cache, or a provider that does not report it", async () => {
  for (const uses of [
    [
      [0, 5_000],
      [0, 5_000],
    ],
    [
      [0, 40_000],
      [20_000, 20_000],
    ],
    [
      [0, 0],
      [0, 0],
    ],
  ] satisfies Use[][]) {
    expect(await noticesOf(uses)).toEqual([[], []]);
  }
});
