// 200 tasks with GNU parallel, two at a time, which is killed in the middle and started again: against 200 starts of Node itself.
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ikigai, ratio, report, root, scratch, table } from "./measure.mjs";
import { watchMemory } from "./watch-memory.mjs";

const tasks = 200;
const atOnce = 2;
const home = scratch();
const names = Array.from({ length: tasks }, (_, index) => join(home, "src", String(index)));
mkdirSync(join(home, "bin"));
symlinkSync(ikigai, join(home, "bin/ikigai"));
copyFileSync(join(root, "examples/many-machines/once.sh"), join(home, "bin/once.sh"));
for (const name of names) {
  mkdirSync(name, { recursive: true });
  writeFileSync(join(name, "work.sh"), "echo done >> runs.txt\n");
}
writeFileSync(join(home, "directories.txt"), `${names.join("\n")}\n`);
const env = { ...process.env, HOME: home, PATH: `${join(home, "bin")}:${process.env.PATH}` };

const task = ["once.sh", "{}", "'run sh work.sh'", "--model", "offline", "--allow", "'bash(sh work.sh)'"];
const nodes = await timed("nodes", [process.execPath, "-e", "0", "{}"]);
const first = start("jobs", task);
const watch = watchMemory(first.pid);
const beganMs = performance.now();
while (doneTasks() < tasks / 2) await sleep(10);
first.kill("SIGKILL");
await new Promise((settle) => first.once("close", settle));
const killedAfter = doneTasks();
// What was running ends on its own; parallel starts it again, and once.sh waits for it.
await new Promise((settle) => start("jobs", task).once("close", settle));
const seconds = (performance.now() - beganMs) / 1_000;
const { pss } = watch.stop();
checkResults();

report({
  title: `${tasks} tasks, ${atOnce} at a time`,
  text: `${table(
    ["", "tasks a second", "against `node -e 0`"],
    [
      ["`node -e 0`", (tasks / nodes).toFixed(1), ""],
      ["`ikigai -p` with one call of bash, by once.sh", (tasks / seconds).toFixed(1), ratio(seconds, nodes)],
    ],
  )}

GNU parallel was killed with SIGKILL after ${killedAfter} tasks and started again: each task ran once, each result is whole. At most
${(pss / atOnce).toFixed(0)} MiB a task (shared pages counted once).`,
  figures: {
    "fleet tasks per second": tasks / seconds,
    "fleet against node -e 0": seconds / nodes,
    "fleet MiB per task": pss / atOnce,
  },
});

async function timed(log, words) {
  const startedMs = performance.now();
  await new Promise((settle) => start(log, words).once("close", settle));
  return (performance.now() - startedMs) / 1_000;
}

function start(log, words) {
  const options = [
    "--will-cite",
    "-j",
    atOnce,
    "--joblog",
    `${log}.log`,
    "--resume-failed",
    "--results",
    `results-${log}`,
  ];
  return spawn("parallel", [...options, ...words, "::::", "directories.txt"].map(String), {
    cwd: home,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

function doneTasks() {
  return names.filter((name) => existsSync(join(name, "runs.txt"))).length;
}

/** @throws Error if a task did not run exactly once or has no whole result. */
function checkResults() {
  const runs = names.map((name) => readFileSync(join(name, "runs.txt"), "utf8"));
  if (runs.some((text) => text !== "done\n")) throw new Error("a task did not run exactly once");
  const files = readdirSync(join(home, "results-jobs"), { recursive: true }).filter((path) => path.endsWith("stdout"));
  if (files.length !== tasks) throw new Error(`${files.length} results of ${tasks} tasks`);
  for (const path of files) JSON.parse(readFileSync(join(home, "results-jobs", path), "utf8"));
}
