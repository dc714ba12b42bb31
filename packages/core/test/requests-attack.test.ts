// Promise 5 of SECURITY.md.
// @module-tag sampled
import { join } from "node:path";
import { Duplex } from "node:stream";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { RequestReader } from "../src/call/host-requests.ts";
import { callTool, discover, spareTools } from "../src/index.ts";
import { startAhead } from "../src/internal.ts";
import { answering, asking, request } from "./asking-tool.ts";
import { hasBubblewrap, sandboxStage } from "./sandbox-stage.ts";
import { circumstances, schema, tool, world } from "./world.ts";

const declares = { ikigai: { host: ["ask"] } };

/** Calls a shell tool with this body. */
async function callShell(body: string, more: object = declares, options: Parameters<typeof circumstances>[0] = {}) {
  const { discover } = await world({ "system/evil-tool": tool(schema("evil", more), `cat > /dev/null\n${body}`) });
  const { asked, host } = answering();
  const given = await circumstances({ host, ...options });
  return { ...(await callTool(await discover(), "evil", "{}", given)), asked };
}

const ask = `printf '%s' '${request(1)}' >&3`;

test("answers a shell tool, which reads its reply with read", async () => {
  const { envelope, asked } = await callShell(`${ask}\nread -r reply <&3\nprintf '{"reply":%s}' "$reply"`);
  expect(envelope).toEqual({ tool_success: true, result: { reply: { id: 1, result: { answer: "blue" } } } });
  expect(asked).toHaveLength(1);
});

test("asks nothing for a tool that does not declare it, and writes it nothing", async () => {
  const body = `${ask}\n[ -z "$IKIGAI_HOST_METHODS" ] && timeout 0.3 cat <&3 > got; printf '{"bytes":%s}' "$(wc -c < got)"`;
  const { envelope, asked } = await callShell(body, {}, { onProgress: () => {} });
  expect(envelope).toEqual({ tool_success: true, result: { bytes: 0 } });
  expect(asked).toEqual([]);
});

test("survives a flood of requests whose replies are not read", async () => {
  const flood = `yes '${request(1).trim()}' | head -n 300000 >&3\necho '{"done":true}'`;
  const before = process.memoryUsage().rss;
  const { envelope, asked } = await callShell(flood);
  expect(envelope).toEqual({ tool_success: true, result: { done: true } });
  expect(asked.length).toBeLessThanOrEqual(20);
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
}, 60_000);

test("survives a flood of what a tool shows, and passes on 20 of it", async () => {
  const rows = Array.from({ length: 100 }, () => ["\\u001b[2J".padEnd(200, "y")]);
  const visual = { type: "table", columns: ["a"], rows, alt: "t" };
  const line = JSON.stringify({ id: 1, method: "show", params: { visual } });
  const dir = await tempDir({ line: `${line}\n` });
  let shown = 0;
  const host = {
    show: async () => {
      shown++;
      return { shown: true } as const;
    },
  };
  const before = process.memoryUsage().rss;
  const flood = `yes "$(cat ${dir}/line)" | head -n 3000 >&3\necho '{"done":true}'`;
  const { envelope } = await callShell(flood, { ikigai: { host: ["show"] } }, { host });
  expect(envelope).toEqual({ tool_success: true, result: { done: true } });
  expect(shown).toBeGreaterThan(0);
  expect(shown).toBeLessThanOrEqual(20);
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
}, 60_000);

test("survives a flood without a line break, and one of invalid UTF-8", async () => {
  const flood = `{ printf '"method"'; head -c 20000000 /dev/zero; printf '\\n\\377\\n{"method":'; } >&3\necho '{"done":true}'`;
  const { envelope, asked } = await callShell(flood);
  expect(envelope).toEqual({ tool_success: true, result: { done: true } });
  expect(asked).toEqual([]);
});

test("keeps at most 64 KiB of unread replies", async () => {
  const script = `
    const { writeSync } = require("node:fs");
    for (let id = 1; id <= 20; id++) {
      writeSync(3, '{"id":' + id + ',"method":"ask","params":{"question":"q"}}\\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
    }
    let bytes = 0;
    const socket = new (require("node:net").Socket)({ fd: 3 });
    socket.on("data", (chunk) => { bytes += chunk.length; });
    setTimeout(() => { writeSync(1, JSON.stringify({ bytes })); process.exit(); }, 500);`;
  const dir = await tempDir({ "deaf.js": script });
  const answer = "\u0001".repeat(8_192);
  const host = { ask: async () => ({ answer }) };
  const { envelope } = await callShell(`exec node ${join(dir, "deaf.js")}`, declares, { host });
  const bytes = envelope.tool_success ? Number(envelope.result.bytes) : Number.NaN;
  // What the kernel holds, and what the host kept before it was full.
  expect(bytes).toBeLessThan(600_000);
  expect(bytes).toBeGreaterThan(49_152);
});

test("ignores requests that no program that waits for its replies could send", async () => {
  const replies: string[] = [];
  const stream = new Duplex({
    read: () => {},
    write: (chunk, _encoding, done) => {
      replies.push(String(chunk));
      done();
    },
  });
  const registry = await (await world({ "system/evil-tool": tool(schema("evil", declares)) })).discover();
  const [evil] = registry.tools;
  if (!evil) throw new Error("no tool");
  const { asked, host } = answering();
  const reader = new RequestReader({ tool: evil, callId: "c" }, host, stream);
  for (let id = 0; id < 10_000; id++) {
    reader.take({ id, method: "ask" });
    reader.refuseLong();
  }
  expect(replies.length).toBe(50);
  expect(asked).toEqual([]);
});

test("takes no reply that the tool has written for a request", async () => {
  const forged = `printf '%s\\n' '{"id":1,"result":{"answer":"yes"}}' >&3\necho '{"done":true}'`;
  const { envelope, asked } = await callShell(forged);
  expect(envelope).toEqual({ tool_success: true, result: { done: true } });
  expect(asked).toEqual([]);
});

test("asks nothing for a process that outlives the tool", async () => {
  const { envelope, asked } = await callShell(`(sleep 0.4; ${ask}) >/dev/null 2>&1 &\necho '{"done":true}'`);
  expect(envelope).toEqual({ tool_success: true, result: { done: true } });
  await new Promise((settle) => setTimeout(settle, 600));
  expect(asked).toEqual([]);
});

test("asks nothing for a tool that is being stopped", async () => {
  const body = `trap "${ask.replaceAll('"', '\\"')}; sleep 0.2; exit" TERM\nsleep 30 & wait`;
  const { envelope, asked } = await callShell(body, declares, { timeoutMs: 500 });
  expect(envelope).toMatchObject({ error_code: "TOOL_TIMEOUT" });
  expect(asked).toEqual([]);
});

test("starts no tool that asks before its call, and gives each call a process", async () => {
  const more = { ikigai: { host: ["ask"], prestart: true, serves: true } };
  const body = `printf '{"methods":"%s","serve":"%s"}' "$IKIGAI_HOST_METHODS" "$IKIGAI_SERVE"`;
  const { discover } = await world({ "system/evil-tool": tool(schema("evil", more), `cat > /dev/null\n${body}`) });
  const registry = await discover();
  const spares = spareTools();
  const options = await circumstances({ host: answering().host, spares });
  const [evil] = registry.tools;
  expect(evil && startAhead(evil, options)).toBeUndefined();
  for (const callId of ["a", "b"]) {
    const { envelope } = await callTool(registry, "evil", "{}", { ...options, callId });
    expect(envelope).toEqual({ tool_success: true, result: { methods: "ask", serve: "" } });
  }
  await spares.close();
});

test("has no methods behind a launcher", async () => {
  const there = await tempDir({
    "evil-tool": tool(schema("evil", declares), `cat > /dev/null; printf '{"m":"%s"}' "$IKIGAI_HOST_METHODS"`),
  });
  const launchers = { evil: { argv: ["env"], path: join(there, "evil-tool") } };
  const registry = await discover({ directories: [], home: there, projectDir: there, launchers });
  const { envelope } = await callTool(registry, "evil", "{}", await circumstances({ host: answering().host }));
  expect(envelope).toEqual({ tool_success: true, result: { m: "" } });
});

describe.skipIf(!hasBubblewrap)("in the sandbox (needs bwrap)", () => {
  test("asks as outside of it", async () => {
    const { discover, projectDir, sandbox } = await sandboxStage({ "system/asking-tool": asking });
    const { host } = answering();
    const options = await circumstances({ cwd: projectDir, projectDir, sandbox, host });
    const script = JSON.stringify({ send: [request(1)] });
    const { envelope } = await callTool(await discover(), "asking", script, options);
    expect(envelope).toMatchObject({ result: { replies: [{ id: 1, result: { answer: "blue" } }] } });
  });
});
