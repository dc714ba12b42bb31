import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join, resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./scripts/longest-first.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether every step of a sweep is taken (`npm run test:slow`), instead of some. */
    isThorough: boolean;
  }
}

const root = import.meta.dirname;
/** Fails if what the tests start is not built. */
const builds = join(root, "scripts/check-builds.mjs");
const cores = availableParallelism();
const isThorough = process.env.IKIGAI_TEST_SLOW === "1";
/** Whether no folder or file is named, or only those of whole packages, as by `npm run test:touched`. */
const isWhole =
  process.cwd() === root && process.argv.slice(2).every((word) => word === "run" || /^-|\/test\/$/.test(word));

export default defineConfig({
  // The build of the command sets it.
  define: { IKIGAI_VERSION: '"0.0.0"' },
  test: {
    include: ["test/**/*.test.ts"],
    runner: join(root, "scripts/package-runner.ts"),
    // A worker imports shared modules once, which halves the processor time of tests that start no processes.
    isolate: false,
    provide: { isThorough },
    // The rows of a table are the tests of one line: scripts/package-runner.ts.
    includeTaskLocation: true,
    // A file has them by a comment: `// @module-tag sampled`.
    tags: [
      { name: "slow", description: "Runs only with `npm run test:slow`", skip: !isThorough },
      { name: "sampled", description: "A run of whole packages takes some of the tests: scripts/package-runner.ts" },
      {
        name: "tables",
        description: "A run of whole packages takes some rows of each table: scripts/package-runner.ts",
      },
    ],
    // Node 20 parses them at every start, which takes three times as long as starting; the tests start thousands.
    env: { NODE_EXTRA_CA_CERTS: "", IKIGAI_TEST_SAMPLE: isWhole && !isThorough ? "1" : "" },
    // Tests wait for processes more than they compute. On two cores, the same files took 94 s with 4 workers, 81 s with 6, 64 s with 8.
    maxWorkers: Math.min(3 * cores, cores + 4),
    // A stub would otherwise last into the worker's next file.
    unstubEnvs: true,
    unstubGlobals: true,
    // Processes and terminals are slow on a busy machine; a hang is still found within two minutes.
    testTimeout: 120_000,
    // In CI alone: the report names each test that needed it, so that it is fixed.
    retry: Number(process.env.IKIGAI_TEST_RETRIES ?? 0),
    hookTimeout: 120_000,
    // The default of one second is shorter than a process may take to start.
    expect: { poll: { interval: 20, timeout: 50_000 } },
    slowTestThreshold: 2_000,
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "json"],
    outputFile: { json: ".turbo/tests.json" },
    // From a package's folder, only its own tests.
    ...(process.cwd() === root
      ? { projects: projects() }
      : { globalSetup: [builds, ...setupOf(process.cwd()).globalSetup] }),
  },
});

/** One project for all packages, so that their tests share workers and modules, and one for each that prepares something first. */
function projects() {
  const folders = ["packages", "apps"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}`),
  );
  const tested = [...folders, "scripts"].filter((folder) => existsSync(join(root, folder, "test")));
  const prepared = tested.filter((folder) => setupOf(folder).globalSetup.length > 0);
  const others = tested.filter((folder) => !prepared.includes(folder));
  return [
    project("ikigai", root, { include: others.map((folder) => `${folder}/test/**/*.test.ts`), globalSetup: [builds] }),
    ...prepared.map((folder) => project(basename(folder), join(root, folder), setupOf(folder))),
  ];
}

function project(name: string, folder: string, options: object) {
  return { extends: true as const, test: { name, root: folder, ...options } };
}

/** A package's setup, once for all of its test files. */
function setupOf(folder: string) {
  const setup = join(resolve(root, folder), "test/global-setup.ts");
  return { globalSetup: existsSync(setup) ? [setup] : [] };
}
