import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";

const root = join(import.meta.dirname, "../..");

/** For one mutant, where it is not known how long its tests take: a busy machine must not look like a mutant that loops forever. */
const longestRunMs = 600_000;

/** What starting vitest may take on a busy machine, and how much longer than without a mutant tests may take. */
const startMs = 90_000;
const slowness = 5;

/** What is not copied: installed packages are linked instead. */
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
 * A copy of the tree, with what is built, to try mutants in. It lies inside the tree, where the sandbox does not replace it
 * as it would `/tmp`.
 */
export class MutantCopy {
  #dir;
  /** By test file: how long it took without a mutant, in milliseconds. */
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
    // Without the projects' names all of them are loaded, which takes longer than most tests.
    const projects = new Set(tests.map((path) => path.split("/")[1]));
    const named = [...projects].flatMap((project) => ["--project", project]);
    const args = [vitest, "run", "--bail", "1", "--testTimeout", `${limitMs}`, ...named, ...tests];
    const { code, isTimeout, output } = await run(process.execPath, args, this.#dir, id, limitMs);
    if (isTimeout) return { isKilled: true, by: "the time limit", output };
    if (code === 0) return { isKilled: false };
    // Nothing noticed the mutant where no test was run.
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

/** Runs a program to its end or the time limit, and then kills what it left behind. */
function run(program, args, cwd, id, limitMs) {
  // Marks the processes that tests of a mutant leave behind; the host under test may no longer end them.
  const mark = `IKIGAI_MUTANT=${process.pid}:${id}`;
  const [name, value] = mark.split("=");
  return new Promise((settle) => {
    const options = { cwd, env: { ...process.env, [name]: value }, stdio: ["ignore", "pipe", "pipe"], detached: true };
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

/** Only where there is a /proc. */
function killMarked(mark) {
  if (!existsSync("/proc/self/environ")) return;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(mark)) process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended meanwhile, or is somebody else's.
    }
  }
}
