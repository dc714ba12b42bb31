// What other programs wait for: the answer to `initialize` of `ikigai mcp serve` and `ikigai acp`, and a call over MCP against the
// same call inside the host.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { ikigai, load, ms, nodeItself, ratio, report, scratch, table, takeTurns, tool } from "./measure.mjs";

const { discover, findTool, spareTools } = await load("core");
const { executeCall, parseArguments, prepareCall } = await load("core", "internal");

const startRounds = 20;
const callRounds = 200;

const dir = scratch();
const home = scratch();
writeFileSync(join(dir, "a.txt"), "hello\n".repeat(20));
const env = {
  PATH: process.env.PATH,
  HOME: home,
  ...(process.env.NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
};

/** Starts a server; returns it, and a function that sends a request and waits for its answer. */
function start(...args) {
  const child = spawn(process.execPath, [ikigai, ...args], { cwd: dir, env, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    waiting.get(id)?.(error ? Promise.reject(new Error(error.message)) : result);
  });
  const ask = (id, method, params) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((settle) => waiting.set(id, settle));
  };
  return { child, ask };
}

async function end({ child }) {
  child.stdin.end();
  await once(child, "close");
}

const clientInfo = { name: "bench", version: "1" };
const mcpHello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
const acpHello = { protocolVersion: 1, clientCapabilities: {} };

/** The time until `initialize` is answered, in milliseconds. */
async function initialize(hello, ...args) {
  const began = performance.now();
  const server = start(...args);
  await server.ask(1, "initialize", hello);
  const time = performance.now() - began;
  await end(server);
  return time;
}

const starts = await takeTurns(
  {
    "node -e 0": nodeItself,
    "`ikigai mcp serve`, `initialize`": () => initialize(mcpHello, "mcp", "serve"),
    "`ikigai acp`, `initialize`": () => initialize(acpHello, "acp"),
  },
  startRounds,
);

const server = start("mcp", "serve");
await server.ask("hello", "initialize", mcpHello);
const spares = spareTools();
const registry = await discover({
  directories: [{ path: dirname(tool("file-read-tool")), scope: "user" }],
  home: dir,
  projectDir: dir,
});
const fileRead = findTool(registry, "file_read");
const args = { file_path: "a.txt" };
let lastId = 0;
const calls = await takeTurns(
  {
    direct: async () => {
      const circumstances = { cwd: dir, projectDir: dir, sessionId: "bench", callId: `call-${++lastId}`, spares };
      const call = prepareCall(fileRead, parseArguments(JSON.stringify(args)), circumstances);
      const { envelope } = await executeCall(call);
      if (!envelope.tool_success) throw new Error(JSON.stringify(envelope));
    },
    mcp: async () => {
      const result = await server.ask(++lastId, "tools/call", { name: "file_read", arguments: args });
      if (result.isError) throw new Error(JSON.stringify(result));
    },
  },
  callRounds,
);
await spares.close();
await end(server);

const base = starts["node -e 0"].p50;
const { direct, mcp } = calls;
report({
  title: "For other programs: MCP and ACP",
  text: `${table(
    ["from the start to the answer", "p50 ms", "p95 ms", "against `node -e 0`"],
    Object.entries(starts).map(([name, { p50, p95 }]) => [name, ms(p50), ms(p95), ratio(p50, base)]),
  )}

${table(
  ["a call of `file_read`, served", "p50 ms", "p95 ms", "more, p50 ms"],
  [
    ["inside the host", ms(direct.p50), ms(direct.p95), "–"],
    ["over MCP, with permission and log", ms(mcp.p50), ms(mcp.p95), ms(mcp.p50 - direct.p50)],
  ],
)}`,
  figures: {
    "mcp initialize ms": starts["`ikigai mcp serve`, `initialize`"].p50,
    "acp initialize ms": starts["`ikigai acp`, `initialize`"].p50,
    "mcp call, more ms": mcp.p50 - direct.p50,
  },
});
