// Promise 5 of SECURITY.md.
// @module-tag sampled
import { maxHostLineBytes, maxHostRequests } from "@ikigai/protocol";
import { expect, test, vi } from "vitest";
import type { HostApi } from "../src/index.ts";
import { answering, callAsking, repliesTo, request } from "./asking-tool.ts";

const error = (id: number | null, code: string, message: unknown = expect.any(String)) => ({
  id,
  error: { code, message },
});

test("passes a question on to the host, and the answer back", async () => {
  const { asked, host } = answering();
  expect(await repliesTo({ send: [request(7)] }, host)).toEqual([{ id: 7, result: { answer: "blue" } }]);
  expect(asked).toEqual([{ question: "Which colour?", options: [], kind: "text" }]);
});

test("tells the host which tool asks, in which call", async () => {
  const requesters: unknown[] = [];
  const host: HostApi = {
    async ask(_params, { tool, callId }) {
      requesters.push([tool.name, tool.scope, callId]);
      return { refused: true };
    },
  };
  expect(await repliesTo({ send: [request(1)] }, host, { callId: "c" })).toEqual([
    { id: 1, result: { refused: true } },
  ]);
  expect(requesters).toEqual([["asking", "system", "c"]]);
});

test("names the methods that the schema and the host have in common", async () => {
  const permission = async () => ({ verdict: "deny" as const, reason: "no" });
  const { host } = answering();
  const named = async (api: HostApi | undefined, name = "relaying") => {
    const { envelope } = await callAsking({ send: [] }, api, {}, name);
    return envelope.tool_success && envelope.result.methods;
  };
  expect(await named(host)).toBe("ask");
  expect(await named({ ...host, permission })).toBe("ask permission");
  // It starts no agents.
  expect(await named({ ...host, permission }, "asking")).toBe("ask");
  expect(await named({})).toBeUndefined();
  expect(await named(undefined)).toBeUndefined();
  const call = { tool: "bash", arguments: '{"command":"ls"}' };
  expect(await repliesTo({ send: [request(1, call, "permission")] }, { permission }, {}, "relaying")).toEqual([
    { id: 1, result: { verdict: "deny", reason: "no" } },
  ]);
  expect(await repliesTo({ send: [request(1, call, "permission"), request(2, {}, "later")] }, host)).toEqual([
    error(1, "UNKNOWN_METHOD", "The methods that work in this call: ask."),
    error(2, "UNKNOWN_METHOD"),
  ]);
});

test("removes the variable of an outer host", async () => {
  const env = { ...process.env, IKIGAI_HOST_METHODS: "ask", IKIGAI_STATE_DIR: "/x" };
  const { envelope } = await callAsking({ send: [] }, undefined, { env });
  expect(envelope).toEqual({ tool_success: true, result: { replies: [] } });
});

test("says that there is no user", async () => {
  expect(await repliesTo({ send: [request(1)] }, { ask: async () => undefined })).toEqual([error(1, "NO_USER")]);
});

test.each([
  ["the longest question", { question: "é".repeat(1_024) }, true],
  ["a question that is too long", { question: `${"é".repeat(1_024)}x` }, false],
  ["an empty question", { question: " \n" }, false],
  ["no question", {}, false],
  ["parameters that are not an object", ["x"], false],
  ["two options", { question: "q", options: ["a", "b"] }, true],
  ["six options", { question: "q", options: [..."abcdef"] }, true],
  ["one option", { question: "q", options: ["a"] }, false],
  ["seven options", { question: "q", options: [..."abcdefg"] }, false],
  ["the longest option", { question: "q", options: ["a", "b".repeat(256)] }, true],
  ["an option that is too long", { question: "q", options: ["a", "b".repeat(257)] }, false],
  ["an option of several lines", { question: "q", options: ["a", "b\nc"] }, false],
  ["equal options", { question: "q", options: ["a", "a"] }, false],
  ["a choice without options", { question: "q", kind: "choice" }, false],
  ["text with options", { question: "q", kind: "text", options: ["a", "b"] }, false],
  ["a question for yes or no", { question: "q", kind: "confirm" }, true],
  ["an unknown kind", { question: "q", kind: "date" }, false],
])("%s", async (_what, params, isValid) => {
  const { asked, host } = answering();
  const [reply] = await repliesTo({ send: [request(1, params)] }, host);
  expect(reply).toEqual(isValid ? { id: 1, result: { answer: "blue" } } : error(1, "INVALID_REQUEST"));
  expect(asked).toHaveLength(isValid ? 1 : 0);
});

test.each([
  [["a"], "1 text"],
  [[], "0 texts"],
  [["a", "b", "a"], '"a" twice'],
  [["a", "b\nc"], '"b\\nc", which has a line break'],
  [["a", ""], "an empty text"],
  [["a", "b".repeat(257)], "a string of 257 bytes"],
  [["a", 1], "a number"],
  ["a", "a string of 1 bytes"],
])("says what is wrong with the options %j", async (options, got) => {
  const [reply] = await repliesTo({ send: [request(1, { question: "q", options })] }, answering().host);
  const wanted = "2 to 6 different texts of 1 to 256 bytes, without line breaks";
  expect(reply).toEqual(error(1, "INVALID_REQUEST", `Expected "options" to be ${wanted}, got ${got}.`));
});

test("refuses a method that is no text as an invalid request", async () => {
  const send = ['{"id":1,"method":7,"params":{"question":"q"}}\n', '{"id":2,"method":"dance","params":{}}\n'];
  const replies = await repliesTo({ send }, answering().host);
  expect(replies).toEqual([
    error(1, "INVALID_REQUEST", 'Expected "method" to be a string.'),
    error(2, "UNKNOWN_METHOD"),
  ]);
});

test.each([undefined, null, "1", 1.5, 2 ** 53, [1], {}])("refuses the id %j", async (id) => {
  expect(await repliesTo({ send: [request(id)] }, answering().host)).toEqual([error(null, "INVALID_REQUEST")]);
});

test("takes a line of 65,536 bytes, and refuses one of a byte more", async () => {
  const [start, end] = [`{"id":1,"method":"ask","params":{"question":"q"},"more":"`, '"}'];
  const line = (bytes: number) => `${start}${"x".repeat(bytes - start.length - end.length)}${end}\n`;
  const { asked, host } = answering();
  const send = [line(maxHostLineBytes), line(maxHostLineBytes + 1), request(3)];
  expect(await repliesTo({ send }, host)).toEqual([
    { id: 1, result: { answer: "blue" } },
    error(null, "INVALID_REQUEST", "The line is longer than 65536 bytes."),
    { id: 3, result: { answer: "blue" } },
  ]);
  expect(asked).toHaveLength(2);
});

test("puts the pieces of a line together, and reads several lines of one piece", async () => {
  const line = request(1);
  const { asked, host } = answering();
  const send = [line.slice(0, 5), line.slice(5, 30), `${line.slice(30)}{"progress":1}\nnot JSON\n`];
  const progress: unknown[] = [];
  const { envelope } = await callAsking({ send, replies: 0, last: "hang" }, host, {
    timeoutMs: 1_000,
    onProgress: (report) => progress.push(report),
  });
  expect(envelope).toMatchObject({ error_code: "TOOL_TIMEOUT" });
  expect(asked).toHaveLength(1);
  expect(progress).toEqual([{ progress: 1 }]);
});

test("takes a report whose text names a method for a report", async () => {
  const progress: unknown[] = [];
  const onProgress = (report: unknown) => progress.push(report);
  const send = ['{"progress":1,"message":"method"}\n', `{"progress":2,"message":${JSON.stringify(request(1))}}\n`];
  const { asked, host } = answering();
  await callAsking({ send, replies: 0 }, host, { onProgress });
  expect(progress).toEqual([
    { progress: 1, message: "method" },
    { progress: 2, message: request(1) },
  ]);
  expect(asked).toEqual([]);
});

test("takes 20 requests of a call and no more, whether valid or not", async () => {
  const { asked, host } = answering();
  const send = Array.from({ length: maxHostRequests + 2 }, (_, index) => request(index, index === 3 ? {} : undefined));
  const replies = await repliesTo({ send }, host);
  expect(asked).toHaveLength(maxHostRequests - 1);
  expect(replies[maxHostRequests - 1]).toEqual({ id: maxHostRequests - 1, result: { answer: "blue" } });
  expect(replies.slice(maxHostRequests)).toEqual([
    error(maxHostRequests, "TOO_MANY_REQUESTS"),
    error(maxHostRequests + 1, "TOO_MANY_REQUESTS"),
  ]);
});

test("refuses a request while another one is open", async () => {
  const open: ((result: { answer: string }) => void)[] = [];
  const host: HostApi = { ask: () => new Promise((settle) => open.push(settle)) };
  const called = repliesTo({ send: [request(1) + request(1) + request(2)], replies: 3 }, host);
  await vi.waitFor(() => expect(open).toHaveLength(1), 10_000);
  await new Promise((settle) => setTimeout(settle, 100));
  open[0]?.({ answer: "blue" });
  expect(await called).toEqual([
    error(1, "REQUEST_OPEN"),
    error(2, "REQUEST_OPEN"),
    { id: 1, result: { answer: "blue" } },
  ]);
});

test("cuts an answer, whose reply fits into a line", async () => {
  const { host } = answering({ answer: "\u0001".repeat(10_000) });
  const [reply] = await repliesTo({ send: [request(1)] }, host);
  expect(reply).toEqual({ id: 1, result: { answer: "\u0001".repeat(8_192) } });
  expect(JSON.stringify(reply).length).toBeLessThanOrEqual(maxHostLineBytes);
});

const image = { type: "image", path: "a.png", alt: "An image" } as const;

test("passes on what the tool shows, with only the known fields", async () => {
  const shown: unknown[] = [];
  const host: HostApi = {
    async show({ visual }) {
      shown.push(visual);
      return shown.length === 1 ? { shown: true } : { shown: false, reason: "it is gone" };
    },
  };
  const send = [request(1, { visual: { ...image, more: 1 } }, "show"), request(2, { visual: image }, "show")];
  expect(await repliesTo({ send }, host)).toEqual([
    { id: 1, result: { shown: true } },
    { id: 2, result: { shown: false, reason: "it is gone" } },
  ]);
  expect(shown).toEqual([image, image]);
});

test("refuses to show what no host can draw", async () => {
  const host: HostApi = { show: async () => ({ shown: true }) };
  const send = [request(1, { visual: { type: "film", alt: "x" } }, "show"), request(2, {}, "show")];
  expect(await repliesTo({ send }, host)).toEqual([
    error(1, "INVALID_REQUEST", 'The visual cannot be drawn: its "type" is not table, diff, chart or image.'),
    error(2, "INVALID_REQUEST", "The visual cannot be drawn: it is nothing, not an object."),
  ]);
});

test("shows something after a question that was not answered", async () => {
  const host: HostApi = { ask: () => new Promise(() => {}), show: async () => ({ shown: true }), maxWaitMs: 50 };
  const send = [request(1), request(2, { visual: image }, "show"), request(3)];
  expect(await repliesTo({ send }, host)).toEqual([
    error(1, "NO_ANSWER"),
    { id: 2, result: { shown: true } },
    error(3, "NO_ANSWER"),
  ]);
});
