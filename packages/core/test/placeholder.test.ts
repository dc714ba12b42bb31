import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { build } from "esbuild";
import { expect, test } from "vitest";

test("removes a host's placeholders when it ends, but no file that has been written to", async () => {
  const dir = await tempDir({ "project/": "" });
  const module = join(dir, "placeholder.mjs");
  const source = join(import.meta.dirname, "../src/leftovers/placeholder.ts");
  await build({ entryPoints: [source], bundle: true, platform: "node", format: "esm", outfile: module });
  const script = join(dir, "host.mjs");
  writeFileSync(
    script,
    `
    import { writeFileSync } from "node:fs";
    import { holdPlace } from ${JSON.stringify(module)};
    const hold = (name, content) => holdPlace({ path: "project/" + name, content }, "registry");
    for (const name of ["config", "untouched"]) hold(name, "");
    hold("hooks");
    writeFileSync("project/config", "mine");`,
  );
  execFileSync(process.execPath, [script], { cwd: dir });
  expect(readdirSync(join(dir, "project"))).toEqual(["config"]);
  expect(readFileSync(join(dir, "project/config"), "utf8")).toBe("mine");
});
