import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

/** Lets ikigai ask its own tools for their schemas once, instead of in the empty home of every test. */
export function setup(project: TestProject): void {
  const home = mkdtempSync(join(tmpdir(), "ikigai-test-"));
  const bin = join(import.meta.dirname, "../dist/ikigai.js");
  execFileSync(process.execPath, [bin, "tool", "list"], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home },
    stdio: "ignore",
  });
  project.provide("schemas", readFileSync(join(home, ".ikigai/cache/schemas.json"), "utf8"));
  rmSync(home, { recursive: true });
}
