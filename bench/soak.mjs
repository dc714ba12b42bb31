// Calls tools that fail in every way, at random and in parallel, in one process, and counts what they leave behind.
//   node --expose-gc bench/soak.mjs [--seconds 600] [--calls 2000] [--seed N] [--json]
// Runs until both the time and the calls are over. Exits with 1 if anything leaked or had an unexpected outcome.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildSync } from "esbuild";
import { machine, table } from "./measure.mjs";
import { faults, writeTools } from "./soak-tools.mjs";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "600" },
    calls: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Date.now() % 1e6) },
    json: { type: "boolean", default: false },
  },
});
const sideBySide = 8;
const warmUpCalls = 200;
/** Node's own caches come and go; a leak of a kilobyte a call is more than this after 10,000 calls. */
const maxGrowthMb = 10;

const root = mkdtempSync(join(tmpdir(), "ikigai-soak-"));
const [home, tools, marks] = ["home", "tools", "marks"].map((name) => join(root, name));
for (const directory of [home, marks]) mkdirSync(directory);
writeTools(tools);
const outfile = join(root, "core.mjs");
const source = fileURLToPath(new URL("../packages/core/src/index.ts", import.meta.url));
buildSync({ entryPoints: [source], bundle: true, platform: "node", format: "esm", outfile });
const { callTool, discover } = await import(outfile);
const registry = await discover({ directories: [{ path: tools, scope: "user" }], home, projectDir: root });
rmSync(join(tools, "gone-tool"));

const random = generator(Number(values.seed));
const counts = Object.fromEntries(Object.keys(faults).map((name) => [name, { calls: 0, wrong: [], slowestMs: 0 }]));
const endMs = performance.now() + Number(values.seconds) * 1_000;
let calls = 0;

await run(() => calls < warmUpCalls);
const before = await census();
await run(() => performance.now() < endMs || calls < Number(values.calls));
const after = await census();
const leaks = differences(before, after);
report();
rmSync(root, { recursive: true });
process.exitCode = leaks.length > 0 || Object.values(counts).some(({ wrong }) => wrong.length > 0) ? 1 : 0;

async function run(goesOn) {
  const one = async () => {
    while (goesOn()) await callOne(pick(), `soak-${++calls}`);
  };
  await Promise.all(Array.from({ length: sideBySide }, one));
}

async function callOne(name, callId) {
  const stop = new AbortController();
  const options = {
    ...{ cwd: root, projectDir: root, sessionId: "soak", callId, signal: stop.signal },
    overflowDir: join(root, "out"),
    timeoutMs: faults[name].codes.includes("TOOL_TIMEOUT") ? 300 : 60_000,
    env: { PATH: process.env.PATH, SOAK_DIR: marks },
    onProgress() {},
  };
  if (name === "interrupted") setTimeout(() => stop.abort(), random() * 100);
  const startMs = performance.now();
  const calling = callTool(registry, name, JSON.stringify({ n: calls, text: "x".repeat(random() * 50_000) }), options);
  if (name === "victim") await killFromOutside(join(marks, callId));
  const { envelope, overflowFile } = await calling;
  if (overflowFile) rmSync(overflowFile, { force: true });
  const count = counts[name];
  const code = envelope.error_code ?? "ok";
  count.calls++;
  count.slowestMs = Math.max(count.slowestMs, performance.now() - startMs);
  if (!faults[name].codes.includes(code)) count.wrong.push(`${code}: ${envelope.error ?? ""}`);
}

/** Kills a process, as an impatient user or the out-of-memory killer would. */
async function killFromOutside(mark) {
  let pid = 0;
  while (!(pid > 0)) {
    await new Promise((settle) => setTimeout(settle, 5));
    if (existsSync(mark)) pid = Number.parseInt(readFileSync(mark, "utf8"), 10);
  }
  rmSync(mark);
  process.kill(random() < 0.5 ? pid : -pid, random() < 0.5 ? "SIGKILL" : "SIGTERM");
}

/** Returns what this process holds at the moment. */
async function census() {
  await new Promise((settle) => setTimeout(settle, 500));
  for (let round = 0; round < 3; round++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return {
    processes: processesOfTools(),
    descriptors: readdirSync("/proc/self/fd").length,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
    handles: process.getActiveResourcesInfo().length,
    temporaryFiles:
      readdirSync(marks).length + (existsSync(join(root, "out")) ? readdirSync(join(root, "out")).length : 0),
    memoryMb: Math.round((heapUsed + external) / 1e5) / 10,
  };
}

/** Returns the running processes that were started for a call. */
function processesOfTools() {
  return readdirSync("/proc").filter((pid) => {
    try {
      const isDead = /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
      return !isDead && readFileSync(`/proc/${pid}/environ`, "latin1").includes(`SOAK_DIR=${marks}\0`);
    } catch {
      return false;
    }
  }).length;
}

function differences(before, after) {
  return Object.keys(before).filter((name) => {
    if (name === "processes" || name === "temporaryFiles") return after[name] > 0;
    return after[name] > before[name] + (name === "memoryMb" ? maxGrowthMb : 0);
  });
}

function pick() {
  const entries = Object.entries(faults);
  let left = random() * entries.reduce((sum, [, { weight }]) => sum + weight, 0);
  for (const [name, { weight }] of entries) {
    left -= weight;
    if (left < 0) return name;
  }
  return "good";
}

/** The same numbers for the same seed (mulberry32). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function report() {
  const wrong = Object.entries(counts).flatMap(([name, count]) => count.wrong.map((what) => `${name}: ${what}`));
  if (values.json)
    return console.log(JSON.stringify({ seed: Number(values.seed), calls, wrong, leaks, before, after }));
  console.log(machine());
  console.log(`${calls} calls, ${sideBySide} at a time, seed ${values.seed}`);
  const slowest = (ms) => `${Math.round(ms)} ms`;
  console.log(
    table(
      ["tool", "calls", "otherwise", "slowest"],
      Object.entries(counts).map(([name, one]) => [name, one.calls, one.wrong.length, slowest(one.slowestMs)]),
    ),
  );
  console.log(
    table(
      ["left", "after warming up", "at the end"],
      Object.keys(before).map((key) => [key, before[key], after[key]]),
    ),
  );
  for (const line of wrong.slice(0, 20)) console.log(`! ${line}`);
  console.log(leaks.length > 0 ? `Leaked: ${leaks.join(", ")}` : "Nothing has leaked.");
}
