import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Time limit of a mutant whose tests have no known duration: a busy machine must not look like an endless loop. */
const longestRunMs = 600_000;

/** How long vitest may take to start on a busy machine, and how much longer tests may take with a mutant. */
const startMs = 90_000;
const slowness = 5;

/** Not copied: installed packages are symlinked instead. */
const left = new Set([".git", ".turbo", join(root, "node_modules")]);

const copies = join(root, ".turbo/mutants");

/** Removes the copies of runs that were killed. */
export function removeOldCopies() {
  for (const name of existsSync(copies) ? readdirSync(copies) : []) {
    try {
      process.kill(Number.parseInt(name, 10), 0);
    } catch {
      rmSync(join(copies, name), { recursive: true, force: true });
    }
  }
}

/**
 * A copy of the tree and its builds, to try mutants in. It is inside the tree, because the sandbox replaces `/tmp`.
 */
export class MutantCopy {
  #dir;
  /** Duration of each test file without a mutant, in milliseconds. */
  #durations;

  constructor(number, durations) {
    this.#durations = durations;
    this.#dir = join(copies, `${process.pid}-${number}`);
    mkdirSync(this.#dir, { recursive: true });
    for (const name of readdirSync(root)) {
      if (left.has(name) || left.has(join(root, name))) continue;
      cpSync(join(root, name), join(this.#dir, name), { recursive: true, verbatimSymlinks: true });
    }
    symlinkSync(join(root, "node_modules"), join(this.#dir, "node_modules"));
  }

  remove() {
    rmSync(this.#dir, { recursive: true, force: true });
  }

  /** Runs the tests of one mutant; `{ isKilled, by }`, where `by` is the first test that failed. */
  async try({ id, file, from, to, tests, builds }) {
    const path = join(this.#dir, file);
    const text = readFileSync(path, "utf8");
    // A function, because `$&` in a replacement means something.
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
    try {
      for (const folder of builds) {
        const { code } = await run("npm", ["run", "--silent", "build"], join(this.#dir, folder), id, longestRunMs);
        if (code !== 0) return { isKilled: true, by: `the build of ${folder}` };
      }
      return await this.#test(tests, id, this.#limitFor(tests));
    } finally {
      writeFileSync(path, text);
      for (const folder of builds) this.#restoreBuild(folder);
    }
  }

  /** Runs these test files without a mutant, and notes how long each takes. */
  async tryClean(tests) {
    const result = await this.#test(tests, "none", tests.length * longestRunMs);
    if (result.isKilled) return result;
    for (const { name, startTime, endTime } of JSON.parse(readFileSync(this.#report, "utf8")).testResults) {
      this.#durations.set(relative(this.#dir, name), endTime - startTime);
    }
    return result;
  }

  #limitFor(tests) {
    if (!tests.every((test) => this.#durations.has(test))) return longestRunMs;
    const cleanMs = tests.reduce((sum, test) => sum + this.#durations.get(test), 0);
    return Math.min(longestRunMs, startMs + slowness * cleanMs);
  }

  get #report() {
    return join(this.#dir, ".turbo/tests.json");
  }

  /** Runs these test files, up to the first failure. */
  async #test(tests, id, limitMs) {
    const report = this.#report;
    rmSync(report, { force: true });
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const args = [vitest, "run", "--bail", "1", "--testTimeout", `${limitMs}`, ...tests];
    const { code, isTimeout, output } = await run(process.execPath, args, this.#dir, id, limitMs);
    if (isTimeout) return { isKilled: true, by: "the time limit", output };
    if (code === 0) return { isKilled: false };
    // If no test ran, nothing noticed the mutant.
    if (!existsSync(report)) throw new Error(`Expected a report of vitest, got none:\n${output}`);
    return { isKilled: true, by: firstFailure(report, this.#dir), output };
  }

  #restoreBuild(folder) {
    for (const name of ["dist", "libexec"]) {
      const [built, copied] = [join(root, folder, name), join(this.#dir, folder, name)];
      if (!existsSync(built)) continue;
      rmSync(copied, { recursive: true, force: true });
      cpSync(built, copied, { recursive: true, verbatimSymlinks: true });
    }
  }
}

function firstFailure(report, dir) {
  for (const { name, status, assertionResults } of JSON.parse(readFileSync(report, "utf8")).testResults) {
    const failed = assertionResults.find((result) => result.status === "failed");
    if (failed) return `${basename(name)} > ${failed.fullName}`;
    if (status === "failed") return relative(dir, name);
  }
  return "an error outside the tests";
}

/** Runs a program until it exits or the time is up, and then kills what it left behind. */
function run(program, args, cwd, id, limitMs) {
  // Marks the processes that tests of a mutant leave behind; the host under test may no longer end them.
  const mark = `IKIGAI_MUTANT=${process.pid}:${id}`;
  const [name, value] = mark.split("=");
  return new Promise((settle) => {
    const env = { ...process.env, [name]: value };
    const options = { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true };
    const child = spawn(program, args, options);
    let [isTimeout, output] = [false, ""];
    const timer = setTimeout(() => {
      isTimeout = true;
      process.kill(-child.pid, "SIGKILL");
    }, limitMs);
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.once("exit", (code) => {
      clearTimeout(timer);
      killMarked(mark);
      settle({ code, isTimeout, output });
    });
  });
}

/** Works only with /proc. */
function killMarked(mark) {
  if (!existsSync("/proc/self/environ")) return;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(mark)) process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has exited meanwhile, or belongs to another user.
    }
  }
}
