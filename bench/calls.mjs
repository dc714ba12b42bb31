// What a call costs through the host: a process started for it, one started ahead, and the same tool in C.
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { load, ms, ratio, report, scratch, table, takeTurns, tool, toolInC } from "./measure.mjs";

const { discover, execute, findTool } = await load("core");
const { executeCall, prepareCall, startAhead } = await load("core", "internal");

const rounds = 60;
/** What a model takes at least between naming a tool and having written its arguments, in milliseconds. */
const leadMs = 60;

const dir = scratch();
mkdirSync(join(dir, "c"));
renameSync(toolInC(dir), join(dir, "c", "bash-tool"));
const find = async (path) => {
  const registry = await discover({ directories: [{ path, scope: "user" }], home: dir, projectDir: dir });
  return findTool(registry, "bash");
};
const ours = await find(join(tool("bash-tool"), ".."));
const inC = await find(join(dir, "c"));
let calls = 0;
const circumstances = () => ({ cwd: dir, projectDir: dir, sessionId: "bench", callId: `call-${++calls}` });
const args = '{"command":"echo hello"}';

async function cold(which) {
  const { envelope } = await execute(which, args, circumstances());
  if (!envelope.tool_success) throw new Error(JSON.stringify(envelope));
}

async function ahead() {
  const call = circumstances();
  const process = startAhead(ours, call);
  await sleep(leadMs);
  const start = performance.now();
  const { envelope } = await executeCall(prepareCall(ours, args, { ...call, ahead: process }));
  if (!envelope.tool_success) throw new Error(JSON.stringify(envelope));
  return performance.now() - start;
}

/** Memory that a fork has to copy the page tables of. */
const ballast = [];
const megabyte = 1_048_576;
const rows = [];
const figures = {};
for (const [host, megabytes] of Object.entries({ small: 0, large: 120 })) {
  for (let n = 0; n < megabytes; n++) ballast.push(Buffer.alloc(megabyte, 1));
  const times = await takeTurns({ ahead, cold: () => cold(ours), inC: () => cold(inC) }, rounds);
  const resident = `${(process.memoryUsage.rss() / megabyte).toFixed(0)} MiB`;
  const row = (name, { p50, p95 }) => [resident, name, ms(p50), ms(p95), ratio(p50, times.inC.p50)];
  rows.push(row("bash-tool, prestarted", times.ahead), row("bash-tool", times.cold), row("the same in C", times.inC));
  figures[`ahead p50, ${host} host`] = times.ahead.p50;
  figures[`ahead p95, ${host} host`] = times.ahead.p95;
  figures[`ahead against C, ${host} host`] = times.ahead.p50 / times.inC.p50;
}
report({
  title: "A call through the host, to the parsed result",
  text: table(["host", "tool", "p50 ms", "p95 ms", "against C"], rows),
  figures,
});
