// A whole session: print mode, 20 shell calls in turn, a model server on loopback. Once with a model that answers at once, which
// leaves only our own work, and once with one that takes 100 ms, less than any real model. Then the same in mode auto, in the
// sandbox, in turns with a session without it.
import { spawn, spawnSync } from "node:child_process";
import { startModelServer } from "../apps/cli/src/commands/tool/export/model-server.mjs";
import { ikigai, ms, nodeItself, quickest, ratio, report, scratch, spread, table, takeTurns } from "./measure.mjs";
import { watchMemory } from "./watch-memory.mjs";

const calls = 20;
const places = { outside: ["--allow", "bash"], auto: ["--permission-mode", "auto"] };
const rounds = 5;
const home = scratch();
const base = (await takeTurns({ node: nodeItself }, 10)).node.p50;
const atOnce = await play({ thinkMs: 0 });
const thinking = await play({ thinkMs: 100 });
const newHome = await play({ thinkMs: 0, isNewHome: true });

const pairs = hasBubblewrap() ? { atOnce: await playInPlaces(0), thinking: await playInPlaces(100) } : undefined;

const row = (name, unit, value) => [name, value(atOnce), value(newHome), value(thinking), unit];
report({
  title: `A session of ${calls} shell calls`,
  text: `${table(
    ["", "model answers immediately", "the same in a new home", "model thinks 100 ms", ""],
    [
      row("first request", "ms", ({ first }) => `${ms(first)} (${ratio(first, base)} \`node -e 0\`)`),
      row("one turn, without the model's time, p50", "ms", ({ turn }) => ms(turn)),
      row("the session, without the model's time", "ms", ({ whole }) => ms(whole)),
      row("processor time of the process tree", "ms", ({ cpu }) => cpu.toFixed(0)),
      row("peak memory of the process tree, RSS", "MiB", ({ rss }) => rss.toFixed(0)),
      row("the same, shared pages counted once (PSS)", "MiB", ({ pss }) => pss.toFixed(0)),
    ],
  )}

The fastest of ${rounds} sessions, because other load on the machine only adds time.

${placesText()}One process answers all calls. The first call waits until it has started (1.5 × \`node -e 0\`, on another processor), unless the model takes as long to
write the call.`,
  figures: {
    "first request ms": atOnce.first,
    "turn ms, model at once": atOnce.turn,
    "turn ms, model 100 ms": thinking.turn,
    "session ms": atOnce.whole,
    "session CPU ms": atOnce.cpu,
    "new home session ms": newHome.whole,
    "new home first request ms": newHome.first,
    ...(pairs && {
      "auto turn, more ms": pairs.atOnce.auto.turn - pairs.atOnce.outside.turn,
      "auto first turn, more ms": pairs.atOnce.auto.firstTurn - pairs.atOnce.outside.firstTurn,
      "auto session, model 100 ms": pairs.thinking.auto.total / pairs.thinking.outside.total,
    }),
    "session RSS": Math.max(atOnce.rss, thinking.rss),
    "session PSS": Math.max(atOnce.pss, thinking.pss),
  },
});

function hasBubblewrap() {
  return spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user-try", "true"]).status === 0;
}

function placesText() {
  if (!pairs) return "";
  const { atOnce, thinking } = pairs;
  const line = (name, value) => [
    name,
    ms(value(atOnce.outside)),
    ms(value(atOnce.auto)),
    ms(value(thinking.outside)),
    ms(value(thinking.auto)),
  ];
  const rows = [
    line("first request", ({ first }) => first),
    line("first turn, without the model's time", ({ firstTurn }) => firstTurn),
    line("one turn, p50", ({ turn }) => turn),
    line("the session, without the model's time", ({ whole }) => whole),
    line("the session", ({ total }) => total),
  ];
  const head = ["in ms", "no sandbox", "auto", "no sandbox, model thinks 100 ms", "auto, model thinks 100 ms"];
  return `The same session in mode auto, in turns with one without a sandbox, medians of ${rounds * 3} pairs:\n\n${table(head, rows)}\n\n`;
}

/** Sessions without a sandbox and in mode auto, in turns; the median of each figure. */
async function playInPlaces(thinkMs) {
  const server = await startModelServer({ calls, thinkMs, shell });
  const env = { ...process.env, HOME: scratch(), OPENAI_COMPATIBLE_BASE_URL: server.url };
  const runs = { outside: [], auto: [] };
  for (let round = 0; round < rounds * 3 + 1; round++) {
    for (const place of Object.keys(places)) {
      const one = await session(server, env, { args: places[place] });
      // The first round warms the page cache, and makes the home.
      if (round > 0) runs[place].push(one);
    }
  }
  server.close();
  const median = (place, name) => spread(runs[place].map((one) => one[name])).p50;
  const names = ["first", "firstTurn", "turn", "whole", "total"];
  return Object.fromEntries(
    Object.keys(places).map((place) => [place, Object.fromEntries(names.map((name) => [name, median(place, name)]))]),
  );
}

async function play({ thinkMs, isNewHome = false }) {
  const server = await startModelServer({ calls, thinkMs, shell });
  const once = (watch) => {
    const env = { ...process.env, HOME: isNewHome ? scratch() : home, OPENAI_COMPATIBLE_BASE_URL: server.url };
    return session(server, env, { watch });
  };
  await once();
  const runs = [];
  for (let round = 0; round < rounds; round++) runs.push(await once());
  const { used } = await once(watchMemory);
  server.close();
  return { ...quickest(runs), ...used };
}

function shell() {
  return { name: "bash", args: { command: "echo hello" } };
}

/** Watching slows a process down, so a session is either timed or watched. */
async function session(server, env, { watch, args = places.outside }) {
  server.begin();
  const started = performance.now();
  const words = ["-p", "go", "--model", "openai-compatible/test", "--output-format", "json", ...args];
  const child = spawn(process.execPath, [ikigai, ...words], { env, stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.resume();
  const watching = watch?.(child.pid);
  await new Promise((settle) => child.once("close", settle));
  const ended = performance.now();
  const { times, sent } = server;
  if (times.length !== calls + 1) throw new Error(`Expected ${calls + 1} requests, got ${times.length}.`);
  const turns = times.slice(1).map((time, index) => time - sent[index]);
  const modelMs = sent.reduce((sum, time, index) => sum + time - times[index], 0);
  const whole = ended - started - modelMs;
  const [firstTurn] = turns;
  const first = times[0] - started;
  return { first, firstTurn, turn: spread(turns).p50, whole, total: ended - started, used: watching?.stop() };
}
