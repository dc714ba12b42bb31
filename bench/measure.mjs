// Shared by the benchmarks: alternating runs, medians, tables, reports.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

// Node 20 parses this bundle at every start, which would hide everything else. `--keep-certs` measures with it.
if (!process.argv.includes("--keep-certs")) delete process.env.NODE_EXTRA_CA_CERTS;

export const root = new URL("..", import.meta.url).pathname;
export const ikigai = join(root, "apps/cli/dist/ikigai.js");
export const tool = (name) => join(root, `packages/${name}/dist/${name}`);
export const nodeItself = () => run(process.execPath, ["-e", "0"]);

/** Creates a directory that is removed when the benchmark exits. */
export function scratch() {
  const dir = mkdtempSync(join(tmpdir(), "ikigai-bench-"));
  scratched.push(dir);
  return dir;
}

const scratched = [];
process.once("exit", () => {
  for (const dir of scratched) rmSync(dir, { recursive: true, force: true });
});

/** An entry of a library of the repository, as its users get it: in one file. */
export async function load(name, entry = "index") {
  const outfile = join(scratch(), `${name}.mjs`);
  const entryPoints = [join(root, `packages/${name}/src/${entry}.ts`)];
  await build({ entryPoints, outfile, bundle: true, platform: "node", format: "esm", target: "node20" });
  return import(outfile);
}

/** The same tool in C: the minimum cost of a process. */
export function toolInC(dir) {
  const file = join(dir, "bash-tool");
  execFileSync("cc", ["-O2", "-o", file, join(root, "bench/bash-tool.c")]);
  return file;
}

/**
 * Times several candidates in alternation, so that noise affects all of them equally.
 *
 * @param candidates name → async function that runs the candidate once; it may return its own time in milliseconds
 * @returns name → {p50, p95} in milliseconds
 */
export async function takeTurns(candidates, rounds) {
  const times = Object.fromEntries(Object.keys(candidates).map((name) => [name, []]));
  for (let round = 0; round < rounds + 1; round++) {
    for (const [name, once] of Object.entries(candidates)) {
      const start = performance.now();
      const own = await once();
      // The first round warms the page cache and is not counted.
      if (round > 0) times[name].push(typeof own === "number" ? own : performance.now() - start);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, spread(list)]));
}

const ticksPerSecond = 100;

/** Processor time of this process, its children and theirs, in milliseconds. Linux only. */
function treeCpuMs() {
  const ticksOf = (pid, first, last) => {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields.slice(first, last).reduce((sum, field) => sum + Number(field), 0);
  };
  const children = readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "latin1").split(" ").filter(Boolean),
  );
  const { user, system } = process.cpuUsage();
  // Times of children that have been waited for, and of the others with their own.
  const ticks = children.reduce((sum, pid) => sum + ticksOf(pid, 11, 15), ticksOf("self", 13, 15));
  return (user + system) / 1_000 + (ticks * 1_000) / ticksPerSecond;
}

/** Processor time of one call, host and tool, in milliseconds. */
export async function cpuOf(once, rounds) {
  await once();
  const before = treeCpuMs();
  for (let round = 0; round < rounds; round++) await once();
  return (treeCpuMs() - before) / rounds;
}

export function spread(list) {
  return { p50: at(list, 0.5), p95: at(list, 0.95) };
}

/** Returns the fastest of several runs: other load on the machine only adds time. */
export function quickest(runs) {
  return runs.toSorted((a, b) => a.whole - b.whole)[0];
}

/** Runs a program until it exits, discarding its stdout. Rejects if it fails, unless `allowed` has its exit code. */
export function run(file, args = [], { input = "", allowed = [0], ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"], ...options });
    child.stdout.resume();
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.on("error", reject);
    child.on("close", (code) =>
      allowed.includes(code) ? resolve() : reject(new Error(`${file} exited with ${code}`)),
    );
  });
}

/** A Markdown table. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

export const ms = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(0));
export const ratio = (ours, theirs) => `${(ours / theirs).toFixed(2)} ×`;

/** Describes the machine in one line. A load above 0.5 before a measurement means that other programs are running. */
export function machine() {
  const certs = process.env.NODE_EXTRA_CA_CERTS ? "set" : "unset";
  const busy = `load ${loadavg()[0].toFixed(1)}`;
  return `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, ${busy}, NODE_EXTRA_CA_CERTS ${certs}`;
}

/**
 * Prints the results: text for people; with `--json` one object, for `bench/run.mjs`.
 *
 * @param figures name → number, for the table of targets
 */
export function report({ title, text, figures }) {
  if (process.argv.includes("--json")) process.stdout.write(`${JSON.stringify({ title, text, figures })}\n`);
  else process.stdout.write(`${machine()}\n\n## ${title}\n\n${text}\n`);
}

function at(list, quantile) {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))];
}

/** Arguments of a call, as a model writes them. */
export function argumentsOf(value) {
  return { text: JSON.stringify(value), value };
}
