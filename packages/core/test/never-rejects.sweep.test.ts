import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { build } from "esbuild";
import { expect, inject, onTestFinished, test } from "vitest";

/** Number of calls of each function. */
const runs = inject("isThorough") ? "2000" : "25";

test.each(["there", "gone"])(
  "functions that never reject do not, whatever they are given; the host's directory is %s",
  async (here) => {
    const root = await tempDir();
    const program = join(root, "program.mjs");
    await build({
      entryPoints: [join(import.meta.dirname, "fixtures/never-rejects.ts")],
      outfile: program,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
    });
    mkdirSync(join(root, "tree/closed"), { recursive: true, mode: 0o755 });
    for (const dir of [root, join(root, "tree")]) chmodSync(dir, 0o755);
    chmodSync(join(root, "tree/closed"), 0o000);
    onTestFinished(() => chmodSync(join(root, "tree/closed"), 0o755));
    if (process.getuid?.() === 0) chownSync(join(root, "tree"), 65_534, 65_534);
    const out = execFileSync(process.execPath, [program, join(root, "tree"), runs, here], {
      encoding: "utf8",
      cwd: root,
      timeout: 300_000,
    });
    expect(out).toBe("");
  },
  600_000,
);
