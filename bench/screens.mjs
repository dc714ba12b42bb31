// The full screens of several agents, with the same answers from a model on loopback: from a key to the screen while idle and while
// an answer streams, bytes to the terminal, processor time and memory. Each has its own home; all are in one run.
//   node bench/screens.mjs [--keep=DIR]
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startModelServer } from "../apps/cli/src/commands/tool/export/model-server.mjs";
import { agents, bareEnvironment, install, setUp, versionOf } from "./agents.mjs";
import { ms, report, root, scratch, spread, table } from "./measure.mjs";
import { usageOf } from "./watch-memory.mjs";

const { spawn } = createRequire(join(root, "apps/cli/package.json"))("@lydell/node-pty");
const keyCount = 60;
const keyMs = 80;
const patienceMs = 60_000;

const paragraph = "Some words of an answer, with `code` and **weight**, as models write them.";
const blocks = [`${paragraph}\n\n- one\n- two`, "```ts\nconst all = numbers.map((one) => one + 1);\n```"];
const short = `## A heading\n\n${Array.from({ length: 34 }, (_, index) => blocks[index % 2]).join("\n\n")}\n\nTHE-END`;
const long = `${Array.from({ length: 220 }, (_, index) => `${index}. ${paragraph}`).join("\n")}\n\nTHE-END`;

const rows = [];
const figures = {};
for (const agent of agents.filter(({ screen }) => screen)) rows.push(await row(agent));
report({
  title: "The full screens of other agents",
  text: `${table(
    [
      ...["", "key to screen, idle, ms", "p95", "while an answer streams, ms", "p95", "bytes a key"],
      ...["bytes for an answer", "CPU ms for it", "idle CPU", "RSS MiB at start", "after it"],
    ],
    rows,
  )}

An answer of ${(short.length / 1_000).toFixed(1)} kB in words, 4 ms apart; ${keyCount} keys, ${keyMs} ms apart; idle for 5 s. 100 x 40 characters.`,
  figures,
});

async function row(agent) {
  const name = () => `${agent.name} ${versionOf(agent)}`;
  try {
    const command = install(agent);
    const idle = await session(agent, command, short, measureIdle);
    const busy = await session(agent, command, long, measureStreaming);
    Object.assign(figures, {
      [`${agent.name} key ms`]: idle.keys.p50,
      [`${agent.name} key while streaming ms`]: busy.keys.p95,
      [`${agent.name} answer bytes`]: idle.bytes,
      [`${agent.name} answer CPU ms`]: idle.cpu,
      [`${agent.name} idle CPU %`]: idle.idleCpu,
      [`${agent.name} screen RSS`]: idle.rssAfter,
    });
    return [
      name(),
      ...[idle.keys.p50, idle.keys.p95, busy.keys.p50, busy.keys.p95].map(ms),
      ...[String(Math.round(idle.bytesOfKey)), String(idle.bytes), String(idle.cpu)],
      ...[`${idle.idleCpu.toFixed(1)} %`, ms(idle.rss), ms(idle.rssAfter)],
    ];
  } catch (error) {
    return [name(), `not run: ${error.message.replaceAll(/\s+/g, " ").slice(0, 300)}`, ...Array(9).fill("")];
  }
}

/** Opens a screen, lets `measure` use it, and closes it. */
async function session(agent, command, text, measure) {
  const places = { home: scratch(), project: scratch() };
  const server = await startModelServer({ calls: 0, pieces: text.match(/\S+\s*/g), pieceMs: 4 });
  setUp(agent, server.url, places);
  const env = { ...bareEnvironment(), HOME: places.home, TERM: "xterm-256color", ...agent.env(server.url) };
  const [file, ...args] = [...command, ...agent.screen(server.url)];
  const pty = spawn(file, args, { cols: 100, rows: 40, cwd: places.project, env });
  const terminal = { pty, raw: "", onData: () => {} };
  pty.onData((data) => {
    terminal.raw += data;
    answerQueries(pty, data);
    terminal.onData();
  });
  try {
    await ready(terminal);
    return await measure(terminal);
  } finally {
    pty.kill("SIGKILL");
    server.close();
  }
}

/** What terminals answer, without which some agents wait. */
function answerQueries(pty, data) {
  if (data.includes("\u001b[6n")) pty.write("\u001b[1;1R");
  if (data.includes("\u001b[c")) pty.write("\u001b[?62;c");
  if (data.includes("\u001b]11;?")) pty.write("\u001b]11;rgb:0000/0000/0000\u0007");
}

/** Waits until a typed key appears, and a while longer. */
async function ready(terminal) {
  const before = performance.now();
  while (!terminal.raw.includes("q")) {
    if (performance.now() - before > patienceMs) throw new Error(`no prompt: ${visible(terminal.raw)}`);
    await sleep(500);
    terminal.pty.write("q");
  }
  await sleep(4_000);
  terminal.pty.write("\u0015");
  await sleep(1_000);
}

async function measureIdle(terminal) {
  const start = usageOf(terminal.pty.pid);
  const { keys, bytesOfKey } = await typeKeys(terminal);
  terminal.pty.write("\u0015");
  const before = usageOf(terminal.pty.pid);
  const length = terminal.raw.length;
  terminal.pty.write("go");
  await sleep(400);
  terminal.pty.write("\r");
  await shown(terminal, "THE-END");
  await sleep(1_000);
  const after = usageOf(terminal.pty.pid);
  const bytes = Buffer.byteLength(terminal.raw.slice(length));
  await sleep(5_000);
  const idle = usageOf(terminal.pty.pid);
  return {
    ...{ keys, bytesOfKey, bytes, cpu: after.cpu - before.cpu, idleCpu: (idle.cpu - after.cpu) / 50 },
    ...{ rss: start.rss, rssAfter: after.rss },
  };
}

async function measureStreaming(terminal) {
  terminal.pty.write("go");
  await sleep(400);
  terminal.pty.write("\r");
  await shown(terminal, "Some words");
  return typeKeys(terminal);
}

async function shown(terminal, text) {
  const before = performance.now();
  while (!terminal.raw.includes(text)) {
    if (performance.now() - before > patienceMs) throw new Error(`no ${text}: ${visible(terminal.raw)}`);
    await sleep(20);
  }
}

/** Types different keys and waits for each to appear. */
async function typeKeys(terminal) {
  const waits = [];
  const length = terminal.raw.length;
  for (let index = 0; index < keyCount; index++) {
    const key = String.fromCodePoint(0x4e00 + index);
    const from = terminal.raw.length;
    const started = performance.now();
    const seen = new Promise((settle) => {
      terminal.onData = () => terminal.raw.indexOf(key, from) >= 0 && settle(performance.now() - started);
    });
    terminal.pty.write(key);
    waits.push(await Promise.race([seen, sleep(2_000, 2_000)]));
    await sleep(keyMs);
  }
  return { keys: spread(waits), bytesOfKey: Buffer.byteLength(terminal.raw.slice(length)) / keyCount };
}

/** The end of what a terminal got, without its sequences. */
function visible(raw) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of terminals
  return raw.replaceAll(/\u001b\[[\d;?<>=]*[a-zA-Z]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\s+/g, " ").slice(-200);
}
