// What other programs wait for: the answer to `initialize` of `ikigai mcp serve` and `ikigai acp`, and a call over MCP against the
// same call inside the host.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { argumentsOf, load, ms, nodeItself, ratio, report, scratch, table, takeTurns, tool } from "./measure.mjs";
import { mcpHello, startMcp, startServer } from "./rpc-server.mjs";

const { discover, findTool, spareTools } = await load("core");
const { executeCall, prepareCall } = await load("core", "internal");

const startRounds = 20;
const callRounds = 200;
const dir = scratch();
const place = { cwd: dir, home: scratch() };
writeFileSync(join(dir, "a.txt"), "hello\n".repeat(20));

/** The time until `initialize` is answered, in milliseconds. */
async function initialize(hello, ...args) {
  const began = performance.now();
  const server = startServer(args, place);
  await server.ask(1, "initialize", hello);
  const time = performance.now() - began;
  await server.end();
  return time;
}

const starts = await takeTurns(
  {
    "`node -e 0`": nodeItself,
    "`ikigai mcp serve`": () => initialize(mcpHello, "mcp", "serve"),
    "`ikigai acp`": () => initialize({ protocolVersion: 1, clientCapabilities: {} }, "acp"),
  },
  startRounds,
);

const registry = await discover({
  directories: [{ path: dirname(tool("file-read-tool")), scope: "user" }],
  home: dir,
  projectDir: dir,
});
const fileRead = findTool(registry, "file_read");
const args = { file_path: "a.txt" };
const spares = spareTools();
const server = await startMcp(place);
let calls = 0;

async function callDirectly() {
  const circumstances = { cwd: dir, projectDir: dir, sessionId: "bench", callId: `call-${++calls}`, spares };
  const { envelope } = await executeCall(prepareCall(fileRead, argumentsOf(args), circumstances));
  if (!envelope.tool_success) throw new Error(JSON.stringify(envelope));
}

const { direct, mcp } = await takeTurns(
  { direct: callDirectly, mcp: () => server.call("file_read", args) },
  callRounds,
);
await spares.close();
await server.end();

const base = starts["`node -e 0`"].p50;
report({
  title: "For other programs: MCP and ACP",
  text: `${table(
    ["from the start to the answer to `initialize`", "p50 ms", "p95 ms", "against `node -e 0`"],
    Object.entries(starts).map(([name, { p50, p95 }]) => [name, ms(p50), ms(p95), ratio(p50, base)]),
  )}

${table(
  ["a call of `file_read` to a warm process", "p50 ms", "p95 ms", "more, p50 ms"],
  [
    ["inside the host", ms(direct.p50), ms(direct.p95), "–"],
    ["over MCP, with permission and log", ms(mcp.p50), ms(mcp.p95), ms(mcp.p50 - direct.p50)],
  ],
)}`,
  figures: {
    "mcp initialize ms": starts["`ikigai mcp serve`"].p50,
    "acp initialize ms": starts["`ikigai acp`"].p50,
    "mcp call, more ms": mcp.p50 - direct.p50,
  },
});
