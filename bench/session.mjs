// A whole session: print mode, 20 shell calls in turn, a model server on loopback. Once with a model that answers at once, which
// leaves only our own work, and once with one that takes 100 ms, less than any real model.
import { spawn } from "node:child_process";
import { ikigai, ms, nodeItself, quickest, ratio, report, scratch, spread, table, takeTurns } from "./measure.mjs";
import { startModelServer } from "./model-server.mjs";
import { watchMemory } from "./watch-memory.mjs";

const calls = 20;
const rounds = 5;
const home = scratch();
const base = (await takeTurns({ node: nodeItself }, 10)).node.p50;
const atOnce = await play({ thinkMs: 0 });
const thinking = await play({ thinkMs: 100 });
const newHome = await play({ thinkMs: 0, isNewHome: true });

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

One process answers all calls. The first call waits until it has started (1.5 × \`node -e 0\`, on another processor), unless the model takes as long to
write the call.`,
  figures: {
    "first request ms": atOnce.first,
    "turn ms, model at once": atOnce.turn,
    "turn ms, model 100 ms": thinking.turn,
    "session ms": atOnce.whole,
    "session CPU ms": atOnce.cpu,
    "new home session ms": newHome.whole,
    "new home first request ms": newHome.first,
    "session RSS": Math.max(atOnce.rss, thinking.rss),
    "session PSS": Math.max(atOnce.pss, thinking.pss),
  },
});

async function play({ thinkMs, isNewHome = false }) {
  const server = await startModelServer({
    calls,
    thinkMs,
    shell: () => ({ name: "bash", args: { command: "echo hello" } }),
  });
  const once = (watch) => {
    const env = { ...process.env, HOME: isNewHome ? scratch() : home, OPENAI_COMPATIBLE_BASE_URL: server.url };
    return session(server, env, watch);
  };
  await once();
  const runs = [];
  for (let round = 0; round < rounds; round++) runs.push(await once());
  const { used } = await once(watchMemory);
  server.close();
  return { ...quickest(runs), ...used };
}

/** Watching slows a process down, so a session is either timed or watched. */
async function session(server, env, watch) {
  server.begin();
  const started = performance.now();
  const args = ["-p", "go", "--model", "openai-compatible/test", "--allow", "bash", "--output-format", "json"];
  const child = spawn(process.execPath, [ikigai, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.resume();
  const watching = watch?.(child.pid);
  await new Promise((settle) => child.once("close", settle));
  const ended = performance.now();
  const { times, sent } = server;
  if (times.length !== calls + 1) throw new Error(`Expected ${calls + 1} requests, got ${times.length}.`);
  const turns = times.slice(1).map((time, index) => time - sent[index]);
  const modelMs = sent.reduce((sum, time, index) => sum + time - times[index], 0);
  const whole = ended - started - modelMs;
  return { first: times[0] - started, turn: spread(turns).p50, whole, used: watching?.stop() };
}
