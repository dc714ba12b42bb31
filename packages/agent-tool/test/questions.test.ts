// Promise 5 of SECURITY.md.
// @module-tag sampled
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { ownExecutable, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";

const bin = ownExecutable(import.meta.url);

const result = JSON.stringify({ type: "result", reason: "done", result: "said" });

/** An agent that runs this script, which has `send(text)`, `lines` and `until(count)`, and then answers with the lines that it got. */
const agentProgram = (body: string) => `#!/usr/bin/env node
const { writeFileSync } = require("node:fs");
const methods = process.env.IKIGAI_HOST_METHODS;
const socket = methods && new (require("node:net").Socket)({ fd: 3 });
const lines = [];
let text = "";
socket && socket.on("data", (chunk) => { text += chunk; const all = text.split("\\n"); text = all.pop(); lines.push(...all); });
const send = (what) => new Promise((settle) => socket.write(what, settle));
const until = async (count) => { while (lines.length < count) await new Promise((settle) => setTimeout(settle, 5)); };
(async () => {
${body}
writeFileSync(process.cwd() + "/got.json", JSON.stringify({ methods, lines: lines.map((line) => JSON.parse(line)) }));
console.log('${result}');
process.exit();
})();`;

interface HostOptions {
  /** What the host replies to a line; nothing for no reply. */
  readonly reply?: (line: JsonObject) => object | undefined | Promise<object>;
  readonly timeoutMs?: number;
  readonly methods?: string;
}

/** Calls the tool under a host, with an agent that runs this script. */
async function callAgent(
  body: string,
  { reply = () => undefined, timeoutMs, methods = "ask permission" }: HostOptions,
) {
  const dir = await tempDir({ "ikigai.js": { content: agentProgram(body), mode: 0o755 }, "project/": "" });
  const project = join(dir, "project");
  const grant = { mode: "ask", rules: [], model: "p/m", tokens: 1_000, session: "s", slot: 1, agents: [] };
  const env = {
    ...process.env,
    ...{ IKIGAI_BIN: join(dir, "ikigai.js"), IKIGAI_AGENT_GRANT: JSON.stringify(grant) },
    ...{ IKIGAI_PROJECT_DIR: project, IKIGAI_PROGRESS_FD: "3", IKIGAI_SESSION_ID: "s" },
    ...(methods !== "" && { IKIGAI_HOST_METHODS: methods }),
    ...(timeoutMs !== undefined && { IKIGAI_TIMEOUT_MS: String(timeoutMs) }),
  };
  const child = spawn(bin, [], { cwd: project, env, stdio: ["pipe", "pipe", "inherit", "pipe"] });
  const socket = child.stdio[3] as Duplex;
  const received: JsonObject[] = [];
  let text = "";
  socket
    .on("error", () => {})
    .on("data", async (chunk: Buffer) => {
      text += chunk;
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const value: unknown = JSON.parse(line);
        if (!isJsonObject(value)) throw new Error(`not an object: ${line}`);
        received.push(value);
        const said = await reply(value);
        if (said) socket.write(`${JSON.stringify(said)}\n`);
      }
    });
  let stdout = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stdin?.end(JSON.stringify({ task: "x" }));
  await new Promise((settle) => child.once("close", settle));
  const { readFileSync } = await import("node:fs");
  const got = () => JSON.parse(readFileSync(join(project, "got.json"), "utf8"));
  return { answer: JSON.parse(stdout), received, got, requests: received.filter(({ method }) => method !== undefined) };
}

const ask = (id: number) => `{"id":${id},"method":"ask","params":{"question":"q"}}\\n`;
const answering = ({ id }: JsonObject) => ({ id, result: { answer: "yes" } });

test("passes a request on, and its reply back", async () => {
  const { got, requests } = await callAgent(`await send('${ask(7)}'); await until(1);`, { reply: answering });
  expect(requests).toEqual([{ id: 7, method: "ask", params: { question: "q" } }]);
  expect(got()).toEqual({ methods: "ask permission", lines: [{ id: 7, result: { answer: "yes" } }] });
});

test("an agent has no way to ask if the host has no methods", async () => {
  const { got } = await callAgent("", { methods: "" });
  expect(got()).toEqual({ lines: [] });
});

test("lets one request through at a time, and 20 in all", async () => {
  const flood = `await send('${ask(1)}'.repeat(500)); await until(500);
    for (let id = 2; id <= 40; id++) { const before = lines.length; await send('${ask(0)}'.replace("0", id)); await until(before + 1); }`;
  const slowly = async (line: JsonObject) => {
    await sleep(50);
    return answering(line);
  };
  const { got, requests } = await callAgent(flood, { reply: slowly });
  expect(requests).toHaveLength(20);
  const codes = got().lines.flatMap(({ error }: JsonObject) => (isJsonObject(error) ? [error.code] : []));
  expect(codes.filter((code: string) => code === "REQUEST_OPEN")).toHaveLength(499);
  expect(codes.filter((code: string) => code === "TOO_MANY_REQUESTS")).toHaveLength(20);
}, 30_000);

test.each([
  ["a report of progress", '{"progress":1,"message":"I am another agent"}\\n'],
  ["text", "no JSON\\n"],
  ["a list", '[{"id":1,"method":"ask"}]\\n'],
  ["a request without an ID", '{"method":"ask","params":{"question":"q"}}\\n'],
  ["a reply", '{"id":1,"result":{"answer":"yes"}}\\n'],
  ["a cancellation of nothing", '{"id":1,"method":"cancel"}\\n'],
  ["a line that does not end", "x".repeat(100_000)],
])("%s of an agent does not reach the host", async (_what, text) => {
  const { received } = await callAgent(`await send('${text}'); await new Promise((s) => setTimeout(s, 100));`, {
    reply: answering,
  });
  expect(received.filter(({ message }) => !String(message).startsWith("0 calls"))).toEqual([]);
});

test("a long line is dropped, and the next request is read", async () => {
  const body = `await send("x".repeat(70_000) + '\\n${ask(1)}'); await until(1);`;
  const { requests } = await callAgent(body, { reply: answering });
  expect(requests).toHaveLength(1);
});

test("the agent's end cancels its open request, and nothing follows", async () => {
  const { requests, answer } = await callAgent(
    `await send('${ask(1)}');  await new Promise((s) => setTimeout(s, 100));`,
    {},
  );
  expect(requests).toEqual([
    { id: 1, method: "ask", params: { question: "q" } },
    { id: 1, method: "cancel" },
  ]);
  expect(answer).toMatchObject({ output: "said" });
});

const slow = `await send('${ask(1)}'); await until(1);`;

/** The tool ends an agent 4 seconds before the time of the call is up. */
const shortCall = { timeoutMs: 6_000 };

test("an agent's time stands still while the user is asked, and runs on afterwards", async () => {
  const reply = async (line: JsonObject) => {
    await sleep(2_700);
    return answering(line);
  };
  const inTime = await callAgent(slow, { ...shortCall, reply });
  expect(inTime.answer).toMatchObject({ output: "said" });
  const late = await callAgent(`${slow} await new Promise((s) => setTimeout(s, 5_000));`, { ...shortCall, reply });
  expect(late.answer).not.toMatchObject({ output: "said" });
}, 30_000);
