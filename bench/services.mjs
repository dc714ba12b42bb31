// What a call to a service costs through the host, against one process per call: examples/counter-tool, whose service counts.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { argumentsOf, cpuOf, load, ms, ratio, report, root, scratch, spread, table } from "./measure.mjs";

const { discover, execute, findTool, spareTools } = await load("core");
const { executeCall, prepareCall } = await load("core", "internal");

/** Conversations, each with a service of its own, and a call in a process of its own after each of its calls. */
const conversations = 15;
const callsEach = 12;
/** Calls over which processor time is measured: the kernel counts it in steps of 10 ms. */
const cpuRounds = 300;
const coldCpuRounds = 30;

const dir = scratch();
mkdirSync(join(dir, "tools"));
copyFileSync(join(root, "examples/counter-tool"), join(dir, "tools/counter-tool"));
const registry = await discover({
  directories: [{ path: join(dir, "tools"), scope: "user" }],
  home: dir,
  projectDir: dir,
});
const counter = findTool(registry, "counter");
let calls = 0;
const circumstances = () => ({ cwd: dir, home: dir, projectDir: dir, sessionId: "bench", callId: `call-${++calls}` });

/** Counts in the conversation that these processes belong to; returns how long that took. */
async function count(spares, expected) {
  const start = performance.now();
  const { envelope } = await executeCall(prepareCall(counter, argumentsOf({}), { ...circumstances(), spares }));
  const time = performance.now() - start;
  if (envelope.result?.count !== expected) throw new Error(`Expected ${expected}, got ${JSON.stringify(envelope)}.`);
  return time;
}

async function countAlone() {
  const start = performance.now();
  const { envelope } = await execute(counter, "{}", circumstances());
  const time = performance.now() - start;
  if (envelope.result?.count !== 1) throw new Error(`Expected 1, got ${JSON.stringify(envelope)}.`);
  return time;
}

const times = { first: [], second: [], later: [], alone: [] };
// The first conversation warms the page cache and is not counted.
for (let conversation = 0; conversation <= conversations; conversation++) {
  const spares = spareTools();
  for (let call = 1; call <= callsEach; call++) {
    const time = await count(spares, call);
    const alone = await countAlone();
    if (conversation === 0) continue;
    times[call === 1 ? "first" : call === 2 ? "second" : "later"].push(time);
    times.alone.push(alone);
  }
  await spares.close();
}
const { first, second, later, alone } = Object.fromEntries(
  Object.entries(times).map(([name, list]) => [name, spread(list)]),
);

const spares = spareTools();
let counted = 0;
const serviceCpu = await cpuOf(() => count(spares, ++counted), cpuRounds);
await spares.close();
const aloneCpu = await cpuOf(countAlone, coldCpuRounds);

const row = (name, { p50, p95 }, cpu) => [name, ms(p50), ms(p95), ratio(p50, alone.p50), cpu];
report({
  title: "A call to a service",
  text: `${table(
    ["`examples/counter-tool`", "p50 ms", "p95 ms", "against one process per call", "CPU ms"],
    [
      row("first call, which starts the service", first, "–"),
      row("second call", second, ms(serviceCpu)),
      row("later calls", later, "the same"),
      row("one process per call", alone, ms(aloneCpu)),
    ],
  )}

${conversations} conversations of ${callsEach} calls, which count 1, 2, 3 and so on; after each call the same call in a process of its own, which counts 1. CPU: processor
time of one call, host and tool.`,
  figures: {
    "service second call p50": second.p50,
    "service later call p50": later.p50,
    "service against one process per call": second.p50 / alone.p50,
    "service CPU ms": serviceCpu,
  },
});
