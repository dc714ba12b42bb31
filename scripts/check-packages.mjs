// Checks the rules of this repository that no linter has. Prints what is wrong, one line each; exit 1 if anything is.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { checkManifest } from "./check-manifest.mjs";

/** Which of our packages a package may import, itself aside. Tools are met only as executables. */
const mayImport = {
  protocol: [],
  "posix-ere": [],
  "posix-glob": [],
  system: ["protocol"],
  "tool-sdk": ["protocol", "system"],
  core: ["protocol", "system"],
  adapters: ["protocol", "core", "system"],
  testing: ["protocol"],
  "create-tool": [],
  "tool-packages": ["protocol", "core", "system"],
  agent: ["protocol", "core", "posix-glob", "system"],
  cli: ["protocol", "core", "agent", "testing", "create-tool", "system", "tool-packages"],
};
const toolMayImport = ["protocol", "tool-sdk", "posix-ere", "posix-glob"];

const maxLines = { source: 200, tool: 100, main: 10, test: 300 };
const vagueNames = /(^|[-/])(utils?|helpers?|common|managers?|services?|base)\.(ts|mjs)$/;

const problems = [];
const report = (place, problem) => problems.push(`${place}: ${problem}`);

for (const group of ["packages", "apps"]) {
  for (const folder of readdirSync(group)) checkPackage(join(group, folder), folder);
}
for (const file of [...filesBelow("scripts"), ...filesBelow("packages/tool-sdk/build")])
  checkLength(file, maxLines.source);
for (const problem of problems) console.log(problem);
process.exit(problems.length > 0 ? 1 : 0);

function checkPackage(dir, folder) {
  const manifest = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
  checkManifest(dir, folder, manifest, (problem) => report(dir, problem));
  checkFiles(dir);
  if (!manifest.private) checkReadme(dir, folder);
  if (isTool(folder)) checkTool(dir, folder, manifest);
  const sources = filesBelow(join(dir, "src")).filter((file) => file.endsWith(".ts"));
  const graph = new Map(sources.map((file) => [file, checkSource(file, folder)]));
  for (const cycle of cyclesIn(graph)) report(dir, `import cycle: ${cycle.join(" → ")}`);
  for (const file of filesBelow(join(dir, "test"))) if (file.endsWith(".ts")) checkLength(file, maxLines.test);
}

function checkFiles(dir) {
  for (const needed of ["README.md", "test"]) {
    if (!existsSync(join(dir, needed))) report(dir, `has no ${needed}`);
  }
}

/** All of them are found through the same headings. */
function checkReadme(dir, folder) {
  const text = readFileSync(join(dir, "README.md"), "utf8");
  if (!text.startsWith(`# @ikigai/${folder}\n`)) report(`${dir}/README.md`, `does not begin with # @ikigai/${folder}`);
  const what = isTool(folder) ? ["Input and output"] : folder in { cli: 0, "create-tool": 0 } ? [] : ["API", "Limits"];
  for (const heading of ["Install", "Use", ...what])
    if (!text.includes(`\n## ${heading}\n`)) report(`${dir}/README.md`, `has no heading ## ${heading}`);
}

/** Not what is called so because `npm create @ikigai/tool` looks for it by that name. */
function isTool(folder) {
  return folder.endsWith("-tool") && folder !== "create-tool";
}

function checkTool(dir, folder, { bin, dependencies }) {
  if (bin?.[folder] !== `./dist/${folder}`) report(dir, `bin is not {"${folder}": "./dist/${folder}"}`);
  if (dependencies) report(dir, "a tool is bundled and has no dependencies");
  checkLength(join(dir, "src/tool.ts"), maxLines.tool);
  checkLength(join(dir, "src/main.ts"), maxLines.main);
  const name = folder.replace(/-tool$/, "").replaceAll("-", "_");
  if (!readFileSync(join(dir, "src/tool.ts"), "utf8").includes(`name: "${name}"`))
    report(dir, `its tool is not named ${name}`);
}

/** Checks one source file; returns the files of its package that it imports. */
function checkSource(file, folder) {
  checkLength(file, maxLines.source);
  if (vagueNames.test(file)) report(file, "says nothing by its name");
  if (/\/src\/.+\/index\.ts$/.test(file)) report(file, "is a barrel inside a package");
  const text = readFileSync(file, "utf8");
  const imports = [...text.matchAll(/(?:^|\s)(?:import|export)\s[^;]*?from\s+"([^"]+)"|import\("([^"]+)"\)/g)].map(
    (m) => m[1] ?? m[2],
  );
  const allowed = isTool(folder) ? toolMayImport : mayImport[folder];
  for (const target of imports.filter((name) => name.startsWith("@ikigai/"))) {
    if (!allowed?.includes(target.split("/")[1])) report(file, `may not import ${target}`);
  }
  const local = imports.filter((name) => name.startsWith(".")).map((name) => normalize(join(dirname(file), name)));
  if (local.some((name) => name.endsWith("/src/index.ts"))) report(file, "imports its own package's index.ts");
  // A file may lead elsewhere at run time without importing it first.
  const lazy = new Set([...text.matchAll(/import\("(\.[^"]+)"\)/g)].map((m) => normalize(join(dirname(file), m[1]))));
  return local.filter((name) => !lazy.has(name));
}

function checkLength(file, limit) {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").length;
  if (lines > limit) report(file, `has ${lines} lines, at most ${limit}`);
}

function cyclesIn(graph) {
  const done = new Set();
  const cycles = [];
  const visit = (file, path) => {
    if (path.includes(file)) return cycles.push([...path.slice(path.indexOf(file)), file]);
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}

function filesBelow(dir) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
