import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./scripts/longest-first.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The directory of the package that a test belongs to. */
    packageDir: string;
    /** Whether every step of a sweep is taken (`npm run test:slow`), instead of some. */
    isThorough: boolean;
  }
}

const root = import.meta.dirname;
/** From the root, one run tests all packages; from a package's folder, only that package. */
const isRoot = process.cwd() === root;
const cores = availableParallelism();

export default defineConfig({
  // The build of the command sets it.
  define: { IKIGAI_VERSION: '"0.0.0"' },
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: [join(root, "scripts/enter-package.ts")],
    // Node 20 parses them at every start, which takes three times as long as starting; the tests start thousands.
    env: { NODE_EXTRA_CA_CERTS: "" },
    // Tests wait for processes more than they compute.
    maxWorkers: Math.min(2 * cores, cores + 4),
    // A stub would otherwise last into the worker's next file.
    unstubEnvs: true,
    unstubGlobals: true,
    // Processes and terminals are slow on a busy machine; a hang is still found within two minutes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The default of one second is shorter than a process may take to start.
    expect: { poll: { interval: 20, timeout: 50_000 } },
    slowTestThreshold: 2_000,
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "json"],
    outputFile: { json: ".turbo/tests.json" },
    ...(isRoot ? { projects: projects() } : testedIn(process.cwd())),
  },
});

function projects() {
  const folders = ["packages", "apps"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name)),
  );
  const tested = [...folders, "scripts"].filter((folder) => existsSync(join(root, folder, "test")));
  return tested.map((folder) => ({
    extends: true as const,
    test: { name: basename(folder), root: join(root, folder), ...testedIn(join(root, folder)) },
  }));
}

function testedIn(packageDir: string) {
  // A package's setup, once for all of its test files.
  const setup = join(packageDir, "test/global-setup.ts");
  return {
    // A worker imports shared modules once, which halves the processor time of tests that start no processes.
    isolate: false,
    globalSetup: existsSync(setup) ? [setup] : [],
    provide: { packageDir, isThorough: process.env.IKIGAI_TEST_SLOW === "1" },
  };
}
