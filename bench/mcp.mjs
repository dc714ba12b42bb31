// What MCP servers cost that were added with `ikigai mcp add`: calls against the SDK's own client on an open connection to the
// same server, and a start with many of their tools against a start without.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { startModelServer } from "../apps/cli/src/commands/tool/export/model-server.mjs";
import { argumentsOf, ikigai, load, ms, ratio, report, root, scratch, spread, table, takeTurns } from "./measure.mjs";

const { discover, findTool, spareTools } = await load("core");
const { executeCall, prepareCall } = await load("core", "internal");
const { Client, StdioClientTransport } = await clientLibrary();

const toolCount = 60;
const conversations = 10;
const callsEach = 20;
const startRounds = 25;

const dir = scratch();
const program = join(dir, "server.mjs");
writeFileSync(program, serverText(toolCount));
const [plain, added] = [scratch(), scratch()];
execFileSync(process.execPath, [ikigai, "mcp", "add", "many", "--yes", "--", process.execPath, program], {
  env: { ...process.env, HOME: added, IKIGAI_HOME: join(added, ".ikigai") },
});

const registry = await discover({
  directories: [{ path: join(added, ".ikigai/tools"), scope: "user" }],
  home: join(added, ".ikigai"),
  projectDir: dir,
});
const upper = findTool(registry, "mcp__many__upper_0");
const words = { text: "hello" };
let calls = 0;

async function callService(spares) {
  const home = join(added, ".ikigai");
  const circumstances = { cwd: dir, home, projectDir: dir, sessionId: "bench", callId: `call-${++calls}`, spares };
  const start = performance.now();
  const { envelope } = await executeCall(prepareCall(upper, argumentsOf(words), circumstances));
  if (envelope.result?.output !== "HELLO") throw new Error(JSON.stringify(envelope));
  return performance.now() - start;
}

const server = { command: process.execPath, args: [program] };

async function connected() {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport(server));
  return client;
}

async function callClient(client) {
  const start = performance.now();
  const { content } = await client.callTool({ name: "upper_0", arguments: words });
  if (content[0].text !== "HELLO") throw new Error(JSON.stringify(content));
  return performance.now() - start;
}

const times = { clientFirst: [], client: [], first: [], later: [] };
// The first conversation warms the page cache and is not counted.
for (let conversation = 0; conversation <= conversations; conversation++) {
  const spares = spareTools();
  const start = performance.now();
  const client = await connected();
  await callClient(client);
  const clientFirst = performance.now() - start;
  const first = await callService(spares);
  for (let call = 0; call < callsEach; call++) {
    const pair = { client: await callClient(client), later: await callService(spares) };
    if (conversation > 0) for (const [name, time] of Object.entries(pair)) times[name].push(time);
  }
  if (conversation > 0) times.clientFirst.push(clientFirst);
  if (conversation > 0) times.first.push(first);
  await client.close();
  await spares.close();
}
const [clientFirst, client, first, later] = Object.values(times).map(spread);

const model = await startModelServer({ calls: 0 });
const starts = await takeTurns(
  { "no added tools": () => firstRequest(plain), [`${toolCount} tools of a server`]: () => firstRequest(added) },
  startRounds,
);
model.close();
const [none, many] = Object.values(starts);

/** The time until a session's first request, in milliseconds. */
async function firstRequest(home) {
  model.begin();
  const env = { ...process.env, HOME: home, IKIGAI_HOME: join(home, ".ikigai"), OPENAI_COMPATIBLE_BASE_URL: model.url };
  const args = ["-p", "go", "--model", "openai-compatible/test"];
  const start = performance.now();
  await once(spawn(process.execPath, [ikigai, ...args], { cwd: dir, env, stdio: "ignore" }), "close");
  return model.times[0] - start;
}

report({
  title: "MCP servers",
  text: `${table(
    ["a call of a tool", "p50 ms", "p95 ms", "against the client"],
    [
      ["the SDK's client, open connection", ms(client.p50), ms(client.p95), "1.00 ×"],
      ["ikigai, later calls of a conversation", ms(later.p50), ms(later.p95), ratio(later.p50, client.p50)],
      ["the SDK's client, with the server's start", ms(clientFirst.p50), ms(clientFirst.p95), "1.00 ×"],
      ["ikigai, first call, with the server's start", ms(first.p50), ms(first.p95), ratio(first.p50, clientFirst.p50)],
    ],
  )}

${table(
  ["from the start to the first request", "p50 ms", "p95 ms", "more, p50 ms"],
  [
    ["no added tools", ms(none.p50), ms(none.p95), "–"],
    [`${toolCount} tools of a server`, ms(many.p50), ms(many.p95), ms(many.p50 - none.p50)],
  ],
)}`,
  figures: {
    "mcp tool, more ms": later.p50 - client.p50,
    "mcp tool first call, more ms": first.p50 - clientFirst.p50,
    "60 mcp tools, more ms at start": many.p50 - none.p50,
  },
});

/** A server without a library, so that the calls cost little more than what is compared. */
function serverText(tools) {
  const text = { type: "string", description: "Any text" };
  const list = Array.from({ length: tools }, (_, index) => ({
    name: `upper_${index}`,
    description: `Return a text in capital letters, variant ${index}. Use it when a text has to be shouted.`,
    inputSchema: { type: "object", properties: { text }, required: ["text"] },
  }));
  return `import { createInterface } from "node:readline";
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "many", version: "1.0.0" } }),
  "tools/list": () => ({ tools: ${JSON.stringify(list)} }),
  "tools/call": ({ arguments: { text } }) => ({ content: [{ type: "text", text: text.toUpperCase() }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method]?.(params);
  const end = answer ? { result: answer } : { error: { code: -32601, message: "Method not found" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...end }));
}
`;
}

/** The client library that the bridge is made with. */
async function clientLibrary() {
  const require = createRequire(join(root, "packages/mcp/package.json"));
  const client = await import(pathToFileURL(require.resolve("@modelcontextprotocol/client")));
  const stdio = await import(pathToFileURL(require.resolve("@modelcontextprotocol/client/stdio")));
  return { ...client, ...stdio };
}
