// What the benchmarks share: taking turns, medians, and tables.
import { spawn } from "node:child_process";
import { cpus } from "node:os";

/**
 * Times several candidates in turns, so that noise hits all of them alike.
 *
 * @param candidates name → async function that does the thing once
 * @returns name → {p50, p95} in milliseconds
 */
export async function takeTurns(candidates, rounds) {
  const times = Object.fromEntries(Object.keys(candidates).map((name) => [name, []]));
  for (let round = 0; round < rounds + 1; round++) {
    for (const [name, once] of Object.entries(candidates)) {
      const start = performance.now();
      await once();
      // The first round warms the page cache and is not counted.
      if (round > 0) times[name].push(performance.now() - start);
    }
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, list]) => [name, { p50: at(list, 0.5), p95: at(list, 0.95) }]),
  );
}

/** Runs a program to its end; its stdout is read and thrown away. Rejects when it fails unless `allowed` has its exit code. */
export function run(file, args = [], { input = "", allowed = [0], ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"], ...options });
    child.stdout.resume();
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.on("error", reject);
    child.on("close", (code) =>
      allowed.includes(code) ? resolve(code) : reject(new Error(`${file} exited with ${code}`)),
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

/** What figures depend on, in a line. */
export function machine() {
  const certs = process.env.NODE_EXTRA_CA_CERTS ? "set" : "unset";
  return `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, NODE_EXTRA_CA_CERTS ${certs}`;
}

function at(list, quantile) {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))];
}
