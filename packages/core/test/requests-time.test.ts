// @module-tag sampled
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { HostApi } from "../src/index.ts";
import { answering, callAsking, repliesTo, request } from "./asking-tool.ts";

/** A user who answers when they are told to, and how each of their questions ended. */
function waiting(maxWaitMs?: number) {
  const open: { answer: (text: string) => void; signal: AbortSignal }[] = [];
  const host: HostApi = {
    maxWaitMs,
    ask: (_params, _requester, signal) =>
      new Promise((settle) => {
        open.push({ answer: (answer) => settle({ answer }), signal });
      }),
  };
  return { open, host };
}

const asked = (open: readonly unknown[], count = 1) => vi.waitFor(() => expect(open).toHaveLength(count), 10_000);

test("does not count the time of a question", async () => {
  const { open, host } = waiting();
  const called = callAsking({ send: [request(1), request(2)] }, host, { timeoutMs: 1_500 });
  for (const number of [1, 2]) {
    await asked(open, number);
    await sleep(1_000);
    open.at(-1)?.answer("late");
  }
  const { envelope, durationMs } = await called;
  expect(envelope).toMatchObject({ tool_success: true, result: { replies: [{ id: 1 }, { id: 2 }] } });
  expect(durationMs).toBeGreaterThan(2_000);
});

test("counts the time before and after a question", async () => {
  const { open, host } = waiting();
  const called = callAsking({ send: [request(1)], last: "hang" }, host, { timeoutMs: 1_000 });
  await asked(open);
  await sleep(1_500);
  open[0]?.answer("late");
  const { envelope, durationMs } = await called;
  expect(envelope).toMatchObject({ error_code: "TOOL_TIMEOUT", error: "Tool 'asking' timed out after 1s" });
  expect(durationMs).toBeGreaterThan(2_400);
  expect(durationMs).toBeLessThan(8_000);
});

test("withdraws a question that is not answered, and asks no more in this call", async () => {
  const { open, host } = waiting(300);
  const replies = await repliesTo({ send: [request(1), request(2)] }, host);
  expect(replies).toEqual([
    { id: 1, error: { code: "NO_ANSWER", message: "The user did not answer in time." } },
    { id: 2, error: { code: "NO_ANSWER", message: "The user did not answer the last question." } },
  ]);
  expect(open).toHaveLength(1);
  expect(open[0]?.signal.aborted).toBe(true);
});

test("adds up the time of questions that the tool cancels before it is over", async () => {
  const { open, host } = waiting(2_500);
  const cancel = (id: number) => `${JSON.stringify({ id, method: "cancel" })}\n`;
  const send = [1, 2, 3, 4].map((id) => request(id) + cancel(id));
  const { envelope, durationMs } = await callAsking({ send, cancelsAfterMs: 1_000 }, host, { timeoutMs: 10_000 });
  const codeOf = (id: number, code: string) => ({ id, error: expect.objectContaining({ code }) });
  expect(envelope).toMatchObject({
    result: {
      replies: [codeOf(1, "CANCELLED"), codeOf(2, "CANCELLED"), codeOf(3, "NO_ANSWER"), codeOf(4, "NO_ANSWER")],
    },
  });
  expect(open).toHaveLength(3);
  expect(durationMs).toBeLessThan(8_000);
});

test("ends a question with its call when the user interrupts", async () => {
  const { open, host } = waiting();
  const stop = new AbortController();
  const called = callAsking({ send: [request(1)] }, host, { signal: stop.signal });
  await asked(open);
  stop.abort();
  expect((await called).envelope).toMatchObject({ error_code: "TOOL_CANCELLED" });
  expect(open[0]?.signal.aborted).toBe(true);
});

test("ends a question when the tool closes its descriptor, and lets the clock run", async () => {
  const { open, host } = waiting();
  const send = [request(1)];
  const called = callAsking({ send, replies: 0, last: "close" }, host, { timeoutMs: 1_000 });
  expect((await called).envelope).toMatchObject({ error_code: "TOOL_TIMEOUT" });
  expect(open.every(({ signal }) => signal.aborted)).toBe(true);
});

test("ends a question when the tool exits without waiting for the answer", async () => {
  const { open, host } = waiting();
  const { envelope } = await callAsking({ send: [request(1)], replies: 0 }, host);
  expect(envelope).toMatchObject({ tool_success: true });
  expect(open.every(({ signal }) => signal.aborted)).toBe(true);
});

test("keeps the questions of parallel calls apart", async () => {
  const { open, host } = waiting();
  const called = ["a", "b"].map((callId) => repliesTo({ send: [request(1)] }, host, { callId }));
  await asked(open, 2);
  open[1]?.answer("second");
  open[0]?.answer("first");
  const replies = (await Promise.all(called)).flat();
  expect(replies).toContainEqual({ id: 1, result: { answer: "first" } });
  expect(replies).toContainEqual({ id: 1, result: { answer: "second" } });
});

test("does not ask after the call's time is up", async () => {
  const { asked: questions, host } = answering();
  const ask = vi.fn(host.ask);
  const called = callAsking({ send: [], last: "hang" }, { ask }, { timeoutMs: 500 });
  expect((await called).envelope).toMatchObject({ error_code: "TOOL_TIMEOUT" });
  expect([questions, ask.mock.calls]).toEqual([[], []]);
});
