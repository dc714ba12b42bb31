// Vitest's global setup: fails if the tests of a run start a program that was built from other sources than today's.
import { existsSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { readBuilds } from "./build-record.mjs";

const root = resolve(import.meta.dirname, "..");
/** Sources are tested as they are. */
const importedFile = /\bfrom "(\.(?![^"]*\/src\/)[^"]+)"/g;
/** Such as `"../dist/grep-tool"`; `ownExecutable(import.meta.url)` returns the same. */
const builtFile = /["`]((?:\.\.\/)+(?:[\w-]+\/)*)(?:dist|libexec)\b/g;

export function setup(project) {
  const problem = buildProblem(project.vitest.state.getPaths());
  if (problem) {
    console.error(problem);
    // Thrown, it would be printed below a list of every pattern for tests.
    process.exit(1);
  }
  project.onTestsRerun((specifications) => {
    const later = buildProblem(specifications.map(({ moduleId }) => moduleId));
    if (later) console.error(later);
  });
}

function buildProblem(testFiles) {
  const { staleBuilds } = readBuilds(root);
  const [stale, ...others] = new Set(packagesStartedBy(testFiles).flatMap(staleBuilds));
  if (!stale) return undefined;
  const isTool = others.length === 0 && stale.startsWith("packages/");
  const command = isTool ? `(cd ${stale} && npm run build)` : "npm run build";
  return `Not built from the current sources: ${[stale, ...others].join(", ")}. Run: ${command}`;
}

/** The folders of the packages whose built files are named in tests, or in what the tests import from their folder. */
function packagesStartedBy(testFiles) {
  const files = new Set(testFiles);
  const folders = new Set();
  for (const file of files) {
    if (!existsSync(file)) continue;
    const text = readFileSync(file, "utf8");
    for (const [, path] of text.matchAll(importedFile)) files.add(resolve(dirname(file), path));
    if (text.includes("ownExecutable(import.meta.url)")) folders.add(relative(root, file).split("/", 2).join("/"));
    for (const [, path] of text.matchAll(builtFile)) folders.add(relative(root, resolve(dirname(file), path)));
  }
  return [...folders];
}
