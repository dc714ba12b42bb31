import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { build } from "esbuild";
import { expect, inject, onTestFinished, test } from "vitest";

/** How many calls of each function are tried. */
const runs = inject("isThorough") ? "2000" : "60";

test.each(["there", "gone"])(
  "what says that it never rejects does not, whatever it is given; the host's directory is %s",
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
    });
    expect(out).toBe("");
  },
  600_000,
);
