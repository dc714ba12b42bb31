// Runs the tests of the packages whose files differ from a git ref, of the packages that depend on these, and of the scripts, as one
// run of vitest with one report. turbo.json says which files the tests of a package depend on. The ref is TURBO_SCM_BASE, or else main;
// where git does not know it, everything is tested.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const asked = ["run", "--silent", "turbo", "--", "test", "--affected", "--dry=json"];
const { tasks } = JSON.parse(execFileSync("npm", asked, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 }));
const touched = tasks.filter(({ task, directory }) => task === "test" && existsSync(join(root, directory, "test")));
const folders = [...touched.map(({ directory }) => directory), "scripts"].sort();

console.log(`Tests of: ${folders.join(", ")}`);
const { status } = spawnSync("npx", ["vitest", "run", ...folders.map((folder) => `${folder}/test/`)], {
  cwd: root,
  stdio: "inherit",
});
process.exit(status ?? 1);
