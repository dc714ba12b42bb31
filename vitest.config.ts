import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // What a package prepares once for all of its test files.
    globalSetup: existsSync("test/global-setup.ts") ? "test/global-setup.ts" : [],
    // Node 20 parses them at every start, which takes three times as long as starting; the tests start thousands.
    env: { NODE_EXTRA_CA_CERTS: "" },
    // They wait for processes more than they compute; one worker would leave a small machine idle.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // Processes and terminals are slow on a busy machine; a hang is still found within two minutes.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One second unless told, which is less than a process may take to start.
    expect: { poll: { interval: 20, timeout: 20_000 } },
    reporters: ["default", "json"],
    outputFile: { json: ".turbo/tests.json" },
  },
});
