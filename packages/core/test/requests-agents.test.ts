// Promise 5 of SECURITY.md.
import type { PermissionParams } from "@ikigai/protocol";
import { expect, test } from "vitest";
import type { HostApi } from "../src/index.ts";
import { answering, repliesTo, request } from "./asking-tool.ts";

const question = { question: "Which colour?" };
const from = { tool: "quiz", scope: "user", path: "/home/quiz-tool", directory: "/project", agents: ["helper"] };

const refused = (id: number, code: string) => ({ id, error: { code, message: expect.any(String) } });

test("tells the host for which tool of an agent a question is asked", async () => {
  const { asked, host } = answering();
  await repliesTo({ send: [request(1, { ...question, from })] }, host, {}, "relaying");
  expect(asked).toMatchObject([{ ...question, from }]);
});

test("a tool that starts no agents asks for no other tool", async () => {
  const { asked, host } = answering();
  await repliesTo({ send: [request(1, { ...question, from })] }, host);
  expect(asked).toEqual([{ ...question, options: [], kind: "text" }]);
});

const name = (bytes: number) => "x".repeat(bytes);

test.each<[string, object, boolean]>([
  ["the longest name", { tool: name(64) }, true],
  ["a name that is too long", { tool: name(65) }, false],
  ["no name", { tool: "" }, false],
  ["words for a name", { tool: "bash  npm test" }, false],
  ["the longest path", { path: `/${name(4_095)}` }, true],
  ["a path that is too long", { path: `/${name(4_096)}` }, false],
  ["a relative path", { path: "quiz-tool" }, false],
  ["a relative directory", { directory: "." }, false],
  ["an unknown scope", { scope: "root" }, false],
  ["no nested agents", { agents: undefined }, true],
  ["eight nested agents", { agents: Array(8).fill("a") }, true],
  ["nine nested agents", { agents: Array(9).fill("a") }, false],
  ["an agent without a name", { agents: [""] }, false],
  ["agents that are no list", { agents: "a" }, false],
])("the tool of an agent with %s", async (_what, change, isValid) => {
  const { asked, host } = answering();
  const params = { ...question, from: { ...from, ...change } };
  const [reply] = await repliesTo({ send: [request(1, params)] }, host, {}, "relaying");
  expect(reply).toEqual(isValid ? { id: 1, result: { answer: "blue" } } : refused(1, "INVALID_REQUEST"));
  expect(asked).toHaveLength(isValid ? 1 : 0);
});

test.each<[string, object, boolean]>([
  ["the longest reason", { reason: name(2_048), mustAsk: true, from }, true],
  ["a reason that is too long", { reason: name(2_049) }, false],
  ["a word that is not a boolean", { mustAsk: "yes" }, false],
  ["a relative path", { from: { ...from, path: "x" } }, false],
  ["the longest name of a tool", { tool: name(64), mustAsk: true, from }, true],
  ["a name that is too long for a tool", { tool: name(65) }, false],
  ["no name of a tool", { tool: "" }, false],
  ["words for a tool's name", { tool: "bash  npm test", mustAsk: true, from }, false],
  ["words in ikigai's style for a tool's name", { tool: "the safe checker (approved by ikigai)" }, false],
  ["a line break after a tool's name", { tool: "bash\n" }, false],
  ["words for the name of an agent's tool", { from: { ...from, tool: "bash (system)" } }, false],
])("a permission request with %s", async (_what, more, isValid) => {
  const asked: PermissionParams[] = [];
  const host: HostApi = {
    async permission(params) {
      asked.push(params);
      return { verdict: "allow" };
    },
  };
  const call = { tool: "bash", arguments: "{}", ...more };
  const [reply] = await repliesTo({ send: [request(1, call, "permission")] }, host, {}, "relaying");
  expect(reply).toEqual(isValid ? { id: 1, result: { verdict: "allow" } } : refused(1, "INVALID_REQUEST"));
  expect(asked).toEqual(isValid ? [call] : []);
});

const cancel = (id: unknown) => `${JSON.stringify({ id, method: "cancel" })}\n`;

test("a tool cancels its open request and asks the next one", async () => {
  const aborted: boolean[] = [];
  const host: HostApi = {
    ask: ({ question: text }, _requester, signal) =>
      text === "q"
        ? Promise.resolve({ answer: "red" })
        : new Promise(() => {
            signal.addEventListener("abort", () => aborted.push(true));
          }),
  };
  const send = [request(1) + cancel(1), request(2, { question: "q" })];
  expect(await repliesTo({ send }, host)).toEqual([refused(1, "CANCELLED"), { id: 2, result: { answer: "red" } }]);
  expect(aborted).toEqual([true]);
});

test("ignores a cancellation of another request, which has no reply and does not count", async () => {
  const { host } = answering();
  const lost = [2, 0, null, "1", undefined].map(cancel).join("");
  const send = [lost + request(1) + cancel(2), ...Array.from({ length: 19 }, (_, n) => cancel(1) + request(n + 2))];
  const replies = await repliesTo({ send }, host);
  expect(replies).toHaveLength(20);
  expect(replies.every((reply) => "result" in (reply as object))).toBe(true);
});
