// What a call costs through the host: a process that answers several, one started ahead, one started for the call, and the same
// tool in C.
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { argumentsOf, cpuOf, load, ms, ratio, report, scratch, table, takeTurns, tool, toolInC } from "./measure.mjs";

const { discover, execute, findTool, spareTools } = await load("core");
const { executeCall, prepareCall, startAhead } = await load("core", "internal");

const rounds = 60;
/** Calls over which processor time is measured: the kernel counts it in steps of 10 ms. */
const servedRounds = 300;
const coldRounds = 30;
/** What a model takes at least between naming a tool and having written its arguments, in milliseconds. */
const leadMs = 60;

const dir = scratch();
mkdirSync(join(dir, "c"));
renameSync(toolInC(dir), join(dir, "c", "bash-tool"));
const find = async (path, name) => {
  const registry = await discover({ directories: [{ path, scope: "user" }], home: dir, projectDir: dir });
  return findTool(registry, name);
};
const bash = await find(join(tool("bash-tool"), ".."), "bash");
const fileRead = await find(join(tool("file-read-tool"), ".."), "file_read");
const inC = await find(join(dir, "c"), "bash");
writeFileSync(join(dir, "a.txt"), "hello\n".repeat(20));
let calls = 0;
const circumstances = () => ({ cwd: dir, projectDir: dir, sessionId: "bench", callId: `call-${++calls}` });
const argsFor = (which) => (which === fileRead ? `{"file_path":"${join(dir, "a.txt")}"}` : '{"command":"echo hello"}');

function check({ envelope }) {
  if (!envelope.tool_success) throw new Error(JSON.stringify(envelope));
}

async function cold(which) {
  check(await execute(which, argsFor(which), circumstances()));
}

async function ahead(which) {
  const call = circumstances();
  const process = startAhead(which, call);
  await sleep(leadMs);
  const start = performance.now();
  check(await executeCall(prepareCall(which, argsFor(which), { ...call, ahead: process })));
  return performance.now() - start;
}

const spares = spareTools();

async function served(which) {
  check(await executeCall(prepareCall(which, argumentsOf(JSON.parse(argsFor(which))), { ...circumstances(), spares })));
}

/** Memory that a fork has to copy the page tables of. */
const ballast = [];
const megabyte = 1_048_576;
const rows = [];
const figures = {};
for (const [host, megabytes] of Object.entries({ small: 0, large: 120 })) {
  for (let n = 0; n < megabytes; n++) ballast.push(Buffer.alloc(megabyte, 1));
  const candidates = {
    served: () => served(bash),
    ahead: () => ahead(bash),
    cold: () => cold(bash),
    inC: () => cold(inC),
    servedRead: () => served(fileRead),
    aheadRead: () => ahead(fileRead),
  };
  const times = await takeTurns(candidates, rounds);
  const cpu = {};
  for (const [name, once] of Object.entries(candidates)) {
    cpu[name] = await cpuOf(once, name.startsWith("served") ? servedRounds : coldRounds);
  }
  const resident = `${(process.memoryUsage.rss() / megabyte).toFixed(0)} MiB`;
  const row = (name, key, against = "–") => [
    resident,
    name,
    ms(times[key].p50),
    ms(times[key].p95),
    against,
    ms(cpu[key]),
  ];
  const againstC = (key) => ratio(times[key].p50, times.inC.p50);
  rows.push(
    row("bash-tool, served", "served", againstC("served")),
    row("bash-tool, prestarted", "ahead", againstC("ahead")),
    row("bash-tool", "cold", againstC("cold")),
    row("the same in C", "inC", againstC("inC")),
    row("file-read-tool, served", "servedRead"),
    row("file-read-tool, prestarted", "aheadRead"),
  );
  for (const key of ["served", "ahead"]) {
    figures[`${key} p50, ${host} host`] = times[key].p50;
    figures[`${key} p95, ${host} host`] = times[key].p95;
    figures[`${key} against C, ${host} host`] = times[key].p50 / times.inC.p50;
  }
  figures[`file_read served p50, ${host} host`] = times.servedRead.p50;
  figures[`served CPU ms, ${host} host`] = cpu.served;
  figures[`file_read served CPU ms, ${host} host`] = cpu.servedRead;
}
spares.close();
report({
  title: "A call through the host, to the parsed result",
  text: `${table(["host", "tool", "p50 ms", "p95 ms", "against C", "CPU ms"], rows)}

CPU: processor time of one call in the host, the tool and what it starts; for a tool that is started, with its start.`,
  figures,
});
