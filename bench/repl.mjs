// The full screen: time to the prompt, bytes for an answer, and from a key to the screen under load.
//   node bench/repl.mjs
import { chmodSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ikigai, ms, nodeItself, ratio, report, root, scratch, table, takeTurns } from "./measure.mjs";

const { spawn } = createRequire(join(root, "apps/cli/package.json"))("@lydell/node-pty");
const home = scratch();
const keyCount = 200;
const keyMs = 25;
const toolLines = 5_000;
const answerLines = 2_000;

const paragraph = "Some words of an answer, with `code` and **weight**, as models write them.";
const answer40 = Array.from({ length: 10 }, (_, index) => `${paragraph}\n\n- one\n- ${index}`).join("\n\n");

let answers = [];
const server = createServer((request, response) => {
  if (request.method !== "POST") return response.writeHead(404).end();
  request.resume().on("end", () => answers.shift()(response));
});
await new Promise((settle) => server.listen(0, "127.0.0.1", settle));
writeTool();

const starts = await takeTurns({ node: nodeItself, prompt: startToPrompt }, 10);
const bytes = await bytesOfAnswer();
const keys = await keysWhileBusy();
server.close();

report({
  title: "The full screen",
  text: table(
    ["", "", "against"],
    [
      ["prompt on the screen, ms", ms(starts.prompt.p50), `${ratio(starts.prompt.p50, starts.node.p50)} node -e 0`],
      ["answer of 40 lines, KB to the terminal", (bytes / 1_000).toFixed(1), "56 KB pi-tui alone, 348 KB ink 8"],
      [`key to screen, p50, ms (${keys.count} keys)`, ms(keys.p50), ""],
      ["key to screen, p95, ms", ms(keys.p95), "target 30"],
      ["key to screen, slowest, ms", ms(keys.max), ""],
      ["keys lost", keys.lost, ""],
    ],
  ),
  figures: { "key p95 ms": keys.p95 },
});

function open(args = []) {
  const env = {
    ...process.env,
    HOME: home,
    TERM: "xterm-256color",
    IKIGAI_TOOL_PATH: home,
    OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${server.address().port}`,
  };
  delete env.NO_COLOR;
  const all = [ikigai, "--model", "openai-compatible/test", "--allow", "flood", ...args];
  const pty = spawn(process.execPath, all, { cols: 100, rows: 40, cwd: home, env });
  const terminal = { pty, raw: "", bytes: 0, onData: () => {} };
  pty.onData((data) => {
    terminal.raw += data;
    terminal.bytes += Buffer.byteLength(data);
    terminal.onData();
  });
  terminal.ended = new Promise((settle) => pty.onExit(settle));
  terminal.waitFor = async (text) => {
    while (!terminal.raw.includes(text)) await sleep(2);
  };
  return terminal;
}

/** Measures the time until the editor appears; the exit does not count. */
async function startToPrompt() {
  const terminal = open();
  await new Promise((settle) => {
    terminal.onData = () => terminal.raw.includes("›") && settle();
  });
  terminal.pty.kill("SIGKILL");
}

async function bytesOfAnswer() {
  answers = [(response) => stream(response, answer40, { pieceLength: 12, pieceMs: 8 })];
  const terminal = open();
  await terminal.waitFor("›");
  terminal.pty.write("go\r");
  await terminal.waitFor("go");
  const before = terminal.bytes;
  await terminal.waitFor("context 110");
  const counted = terminal.bytes - before;
  terminal.pty.write("\u0004");
  await terminal.ended;
  return counted;
}

/** Types unique keys while a tool reports and prints, and then while an answer streams. */
async function keysWhileBusy() {
  const text = Array.from({ length: answerLines }, (_, index) => `${index} ${paragraph}`).join("\n");
  answers = [callFlood, (response) => stream(response, text, { pieceLength: 200, pieceMs: 2 })];
  const terminal = open();
  await terminal.waitFor("›");
  terminal.pty.write("go\r");
  await terminal.waitFor("flood");
  const waits = [];
  for (let index = 0; index < keyCount; index++) {
    const key = String.fromCodePoint(0x4e00 + index);
    const started = performance.now();
    const seen = new Promise((settle) => {
      terminal.onData = () => terminal.raw.includes(key) && settle(performance.now() - started);
    });
    terminal.pty.write(key);
    waits.push(await Promise.race([seen, sleep(2_000, undefined)]));
    // Clears the line, to keep it as long as what people type.
    if (index % 40 === 39) terminal.pty.write("\u0015");
    await sleep(keyMs);
  }
  terminal.pty.kill("SIGKILL");
  const found = waits.filter((wait) => wait !== undefined).toSorted((a, b) => a - b);
  const at = (share) => found[Math.min(found.length - 1, Math.floor(found.length * share))];
  return { count: keyCount, lost: keyCount - found.length, p50: at(0.5), p95: at(0.95), max: at(1) };
}

/** A tool that reports 5,000 times and prints 5,000 lines. */
function writeTool() {
  const schema = { name: "flood", description: "floods", parameters: { type: "object", properties: {} } };
  const script = `#!${process.execPath}
if (process.argv[2] === "--schema") { console.log(${JSON.stringify(JSON.stringify(schema))}); process.exit(); }
const { writeSync } = require("node:fs");
process.stdin.resume().on("end", async () => {
  const lines = [];
  for (let line = 1; line <= ${toolLines}; line++) {
    lines.push("line " + line);
    writeSync(3, JSON.stringify({ progress: line, total: ${toolLines}, message: "line " + line }) + "\\n");
    if (line % 10 === 0) await new Promise((settle) => setTimeout(settle, 4));
  }
  console.log(JSON.stringify({ output: lines.join("\\n") }));
});
`;
  writeFileSync(join(home, "flood-tool"), script);
  chmodSync(join(home, "flood-tool"), 0o755);
}

function chunk(response, delta, finish = null) {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  response.write(
    `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`,
  );
}

function begin(response) {
  response.writeHead(200, { "content-type": "text/event-stream" });
}

function end(response, finish) {
  chunk(response, {}, finish);
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  response.write(
    `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage })}\n\n`,
  );
  response.end("data: [DONE]\n\n");
}

function callFlood(response) {
  begin(response);
  const call = { index: 0, id: "call_1", type: "function", function: { name: "flood", arguments: "{}" } };
  chunk(response, { tool_calls: [call] });
  end(response, "tool_calls");
}

async function stream(response, text, { pieceLength, pieceMs }) {
  begin(response);
  for (let index = 0; index < text.length; index += pieceLength) {
    chunk(response, { role: "assistant", content: text.slice(index, index + pieceLength) });
    await sleep(pieceMs);
  }
  end(response, "stop");
}
