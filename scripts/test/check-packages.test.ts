import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";

const script = resolve("check-packages.mjs");
const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

/** What the script prints about one file of a repository that has these files. */
function problemsOf(path: string, files: Record<string, string>): string[] {
  const dir = mkdtempSync(join(tmpdir(), "packages-"));
  dirs.push(dir);
  const all = {
    "README.md": "",
    "package.json": '{ "repository": "https://github.com/x/y" }',
    "apps/cli/package.json": '{ "private": true, "devDependencies": {} }',
    "apps/cli/README.md": "",
    "docs/decisions/0001-one.md": "",
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(join(dir, dirname(name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  const { stdout, stderr } = spawnSync(process.execPath, [script], { cwd: dir, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line.startsWith(`${path}: `));
}

test("names all missing headings of a README, and where they are listed", () => {
  const files = {
    "packages/tree-tool/package.json": "{}",
    "packages/tree-tool/README.md": "# @ikigai/tree-tool\n\n## Install\n\nText.\n",
    "packages/tree-tool/src/main.ts": "",
    "packages/tree-tool/src/tool.ts": "",
  };
  expect(problemsOf("packages/tree-tool/README.md", files)).toEqual([
    "packages/tree-tool/README.md: has no heading ## Use, ## Input and output: step 5 of CONTRIBUTING.md lists the headings",
  ]);
});

test("names exported functions of a library that do not say what they throw", () => {
  const files = {
    "packages/tree/package.json": '{ "exports": { ".": "./src/index.ts" } }',
    "packages/tree/README.md": "",
    "packages/tree/src/index.ts": `export { grow, type Leaf } from "./grow.ts";
export {
  fell,
  plant,
  prune,
} from "./plant.ts";
`,
    "packages/tree/src/grow.ts": "/** Grows. */\nexport async function grow() {}\nexport interface Leaf {}\n",
    "packages/tree/src/plant.ts": `/**
 * Plants.
 *
 * @throws the weather.
 */
export function plant() {}

/**
 * Prunes. Never
 * throws.
 */
export function prune() {}

export function fell() {}
`,
  };
  const problem = 'say what it throws with @throws, or "Never throws", or "Never rejects"';
  expect(problemsOf("packages/tree/src/grow.ts", files)).toEqual([`packages/tree/src/grow.ts: grow: ${problem}`]);
  expect(problemsOf("packages/tree/src/plant.ts", files)).toEqual([`packages/tree/src/plant.ts: fell: ${problem}`]);
});

test("names dependencies that nothing imports, except the tools that the command ships", () => {
  const files = {
    "packages/tree/package.json":
      '{ "name": "@ikigai/tree", "devDependencies": { "@ikigai/glob": "workspace:*", "ajv": "catalog:", "leaf": "catalog:" } }',
    "packages/tree/test/tree.test.ts": 'import { glob } from "@ikigai/glob";\nimport leaf from "leaf/small";\n',
    "packages/tree/README.md": "",
    "apps/cli/package.json": '{ "devDependencies": { "@ikigai/glob-tool": "workspace:*", "ajv": "catalog:" } }',
  };
  const unused = "depends on ajv, which nothing in src, test and build imports: remove it from package.json";
  expect(problemsOf("packages/tree", files).filter((line) => line.includes("depends"))).toEqual([
    `packages/tree: ${unused}`,
  ]);
  expect(problemsOf("apps/cli", files).filter((line) => line.includes("depends"))).toEqual([`apps/cli: ${unused}`]);
});

test("compares the table of modules in a README with src", () => {
  const files = {
    "packages/tree/package.json": '{ "private": true, "exports": { ".": "./src/index.ts" } }',
    "packages/tree/README.md": "# @ikigai/tree\n\n| `leaf.ts`, `bark.ts` | parts |\n| `root/` | below |\n",
    "packages/tree/src/index.ts": "",
    "packages/tree/src/leaf.ts": "",
    "packages/tree/src/twig.ts": "",
    "packages/tree/src/root/hair.ts": "",
  };
  expect(problemsOf("packages/tree/src/twig.ts", files)).toEqual([
    "packages/tree/src/twig.ts: is not in the table of modules in the package's README",
  ]);
  expect(problemsOf("packages/tree/src/root/hair.ts", files)).toEqual([]);
  expect(problemsOf("packages/tree/README.md", files)).toEqual([
    "packages/tree/README.md: names bark.ts, which is not in src",
  ]);
});

test("names a module of more than 60 lines that does not say first what it does", () => {
  const lines = "/** One. */\n".repeat(60);
  const files = { "packages/tree/package.json": "{}", "packages/tree/README.md": "" };
  const path = "packages/tree/src/long.ts";
  const problems = (text: string) => problemsOf(path, { ...files, [path]: text });
  expect(problems(`import "node:fs";\n${lines}`)).toEqual([
    `${path}: does not begin with a comment (//) that says what it does, and in which order`,
  ]);
  expect(problems(`// Says what it does.\n${lines}`)).toEqual([]);
  expect(problems(lines)).toEqual([]);
});
