// Checks the rules of this repository that no linter has. Prints the problems, one per line; exits with 1 if there are any.
// With --shrink it also removes from small-files.txt what need not be there.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { checkManifest } from "./check-manifest.mjs";
import { checkThrows } from "./check-throws.mjs";

const maxLines = { source: 500, tool: 200, main: 10, test: 500, frontPage: 120 };
/** A smaller file that only one other imports is a part of that one. */
const minLines = 60;
/** The entry of a package and the three files of a tool have these names whatever their size. */
const partOfTool = /^packages\/(?:[\w-]+\/src\/(?:\w+\/)?index|[\w-]+-tool\/src\/(?:schema|tool))\.ts$/;
/** Smaller files that are left from when there was no such rule. The list only shrinks. */
const smallFiles = join(import.meta.dirname, "small-files.txt");
const vagueNames = /(^|[-/])(utils?|helpers?|common|managers?|services?|base)\.(ts|mjs)$/;
/** The entry of the command, too, which imports nothing. */
const platformCode = /^packages\/system\/src\/platform\.ts$|^packages\/sandbox\/src\/|^apps\/cli\/src\/main\.ts$/;
/** In the host: a tool's process, other programs, and the watchdog. The rest are programs of their own, which the host starts. */
const startsPrograms =
  /^packages\/(core\/src\/(process\/start-process|leftovers\/watchdog)|system\/src\/(process\/run-program|platform)|git-files\/src\/(git|worktree)|(bash|agent|lsp)-tool\/src\/[^/]+|file-read-tool\/src\/binary|mcp\/src\/bridge\/stdio-server|create-tool\/src\/main|testing\/src\/(?:\w+\/)?[^/]+)\.ts$/;
const mayAssertElements = /^packages\/(?:(?:posix|grep-tool)\/src\/|system\/src\/text\/scan-memory[.]ts$)/;

/** The packages that ship with the command: its build copies only the tools in this list. */
const { devDependencies: shipped } = JSON.parse(readFileSync("apps/cli/package.json", "utf8"));

const problems = [];
const report = (place, problem) => problems.push(`${place}: ${problem}`);

for (const group of ["packages", "apps"]) {
  for (const folder of readdirSync(group)) checkPackage(join(group, folder), folder);
}
for (const file of [
  ...filesBelow("scripts").filter((file) => !file.endsWith(".txt")),
  ...filesBelow("packages/tool-sdk/build"),
])
  checkLength(file, maxLines.source);
checkLength("README.md", maxLines.frontPage);
checkSmallFiles();
checkDecisions();
checkAddresses();
for (const problem of problems) console.log(problem);
process.exit(problems.length > 0 ? 1 : 0);

function checkPackage(dir, folder) {
  const manifest = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
  checkManifest(folder, manifest, (problem) => report(dir, problem));
  checkFiles(dir);
  checkDependencies(dir, manifest);
  if (!manifest.private) checkReadme(dir, folder);
  const entries = Object.values(manifest.private ? {} : (manifest.exports ?? {}));
  for (const entry of entries.filter((file) => file.endsWith("/index.ts"))) checkThrows(join(dir, entry), report);
  if (isTool(folder)) checkTool(dir, folder, manifest);
  const sources = filesBelow(join(dir, "src")).filter((file) => file.endsWith(".ts"));
  for (const file of sources) checkSource(file);
  checkModuleTable(dir, manifest, sources);
  const tests = filesBelow(join(dir, "test")).filter((file) => file.endsWith(".ts"));
  for (const file of tests) checkLength(file, maxLines.test);
  for (const file of [...sources, ...tests]) checkElements(file);
}

function checkFiles(dir) {
  for (const needed of ["README.md", "test"]) {
    if (!existsSync(join(dir, needed))) report(dir, `has no ${needed}`);
  }
}

/** Finds dependencies that nothing in a package names. The command's are also the list of the tools that ship. */
function checkDependencies(dir, { dependencies, devDependencies, peerDependencies }) {
  const files = ["src", "test", "build"].flatMap((name) => filesBelow(join(dir, name)));
  const texts = files.filter((file) => !file.includes("/node_modules/")).map((file) => readFileSync(file, "utf8"));
  const ships = (name) => dir === "apps/cli" && /^@ikigai\/.*-tool$/.test(name);
  for (const name of Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }))
    if (!ships(name) && !texts.some((text) => text.includes(name)))
      report(dir, `depends on ${name}, which nothing in src, test and build imports: remove it from package.json`);
}

/** Checks that a README has the headings that all READMEs share. */
function checkReadme(dir, folder) {
  const path = join(dir, "README.md");
  if (!existsSync(path)) return;
  const text = readFileSync(path, "utf8");
  if (!text.startsWith(`# @ikigai/${folder}\n`)) report(`${dir}/README.md`, `does not begin with # @ikigai/${folder}`);
  const what = isTool(folder) ? ["Input and output"] : folder in { cli: 0, "create-tool": 0 } ? [] : ["API", "Limits"];
  const missing = ["Install", "Use", ...what]
    .map((name) => `## ${name}`)
    .filter((line) => !text.includes(`\n${line}\n`));
  if (missing.length > 0)
    report(`${dir}/README.md`, `has no heading ${missing.join(", ")}: step 5 of CONTRIBUTING.md lists the headings`);
}

/** Checks that a README with a table of a package's modules has all of them, or their folders, and no others. */
function checkModuleTable(dir, { exports: entries = {} }, sources) {
  const readme = join(dir, "README.md");
  const rows = existsSync(readme) ? (readFileSync(readme, "utf8").match(/^\|.*$/gm) ?? []).join("\n") : "";
  const named = new Set(Array.from(rows.matchAll(/`([\w-]+(?:\.ts|\/))`/g), ([, name]) => name));
  const names = sources.map((file) => basename(file));
  if (!names.some((name) => named.has(name))) return;
  const isNamed = (file) =>
    [basename(file), ...file.split("/").map((folder) => `${folder}/`)].some((name) => named.has(name));
  const isEntry = (file) =>
    Object.values(entries).includes(`./${relative(dir, file)}`) || /(?:\.d|\/index)\.ts$/.test(file);
  for (const file of sources)
    if (!isNamed(file) && !isEntry(file)) report(file, "is not in the table of modules in the package's README");
  for (const name of named)
    if (name.endsWith(".ts") && !names.includes(name)) report(readme, `names ${name}, which is not in src`);
}

/** Excludes create-tool, which only has its name because `npm create @ikigai/tool` looks for it. */
function isTool(folder) {
  return folder.endsWith("-tool") && folder !== "create-tool";
}

function checkTool(dir, folder, { name: packageName, bin, dependencies }) {
  if (!shipped[packageName]) report(dir, "is not in the devDependencies of apps/cli, so it would not ship");
  // The package and its folder may have a shorter name than the tool: ask-tool has ask-user-tool.
  const [file = "", ...others] = Object.keys(bin ?? {});
  const isNamed = file.endsWith("-tool") && file.startsWith(folder.replace(/tool$/, ""));
  if (!isNamed || others.length > 0 || bin[file] !== `./dist/${file}`)
    report(dir, `bin is not {"${folder}": "./dist/${folder}"}`);
  if (dependencies) report(dir, "a tool is bundled and has no dependencies");
  checkLength(join(dir, "src/tool.ts"), maxLines.tool);
  checkLength(join(dir, "src/main.ts"), maxLines.main);
  const name = file.replace(/-tool$/, "").replaceAll("-", "_");
  if (!readFileSync(join(dir, "src/tool.ts"), "utf8").includes(`name: "${name}"`))
    report(dir, `its tool is not named ${name}`);
}

function checkSource(file) {
  checkLength(file, maxLines.source);
  checkHeader(file);
  if (vagueNames.test(file)) report(file, "has a vague name: name it after its main export");
  checkPlatform(file);
  checkDirectories(file);
  checkStarts(file);
}

/** A module that does not fit on a screen begins with what it does. An entry and the files of a tool are known by their names. */
function checkHeader(file) {
  if (partOfTool.test(file) || file.endsWith(".d.ts") || linesOf(file) <= minLines) return;
  if (!readFileSync(file, "utf8").startsWith("// "))
    report(file, "does not begin with a comment (//) that says what it does, and in which order");
}

/** Programs are started in a few places, which keep the project's programs, the provider's keys and open descriptors away from them. */
function checkStarts(file) {
  if (!startsPrograms.test(file) && readFileSync(file, "utf8").includes('"node:child_process"'))
    report(file, "uses node:child_process: use runProgram or startProgram of @ikigai/system");
}

/** Node's recursive mkdir never returns below /proc and in a removed working directory. */
function checkDirectories(file) {
  if (/mkdir(Sync)?\([^;]*recursive/.test(readFileSync(file, "utf8")))
    report(file, "creates directories recursively: use makeDirectories of @ikigai/system");
}

/** What differs between systems is decided in one place, and the sandbox, which is a program of the system. */
function checkPlatform(file) {
  if (platformCode.test(file)) return;
  const text = readFileSync(file, "utf8");
  if (/process\.platform [!=]==|switch \(process\.platform|=== "darwin"/.test(text))
    report(file, "compares process.platform: use isLinux or isMacOs of @ikigai/system");
}

/** Allows `as number` on elements only in files whose loops run once per byte. */
function checkElements(file) {
  if (mayAssertElements.test(file)) return;
  const index = readFileSync(file, "utf8")
    .split("\n")
    .findIndex((line) => /\] as number\b/.test(line));
  if (index >= 0) report(`${file}:${index + 1}`, "may not assert an element with `as number`: check it");
}

/** Checks that a small file has more than one importer, by the imports that `npm run layers` has found. */
function checkSmallFiles() {
  const found = ".turbo/imports.json";
  if (!existsSync(found)) return report(found, "is missing: npm run layers");
  const { modules } = JSON.parse(readFileSync(found, "utf8"));
  const importers = new Map();
  for (const { source, dependencies } of modules)
    for (const { resolved } of dependencies)
      importers.set(resolved, (importers.get(resolved) ?? new Set()).add(source));
  const listed = existsSync(smallFiles) ? readFileSync(smallFiles, "utf8").split("\n").filter(Boolean) : [];
  const small = modules.flatMap(({ source }) => {
    const [importer, other] = importers.get(source) ?? [];
    const isSmall =
      source.endsWith(".ts") &&
      !partOfTool.test(source) &&
      importer !== undefined &&
      other === undefined &&
      existsSync(source) &&
      linesOf(source) < minLines;
    return isSmall ? [{ source, importer }] : [];
  });
  for (const { source, importer } of small)
    if (!listed.includes(source))
      report(source, `has ${linesOf(source)} lines and one importer: merge it into ${importer}`);
  const left = listed.filter((path) => small.some(({ source }) => source === path));
  if (process.argv.includes("--shrink")) writeFileSync(smallFiles, left.map((path) => `${path}\n`).join(""));
  else if (left.length < listed.length)
    report(
      "scripts/small-files.txt",
      `lists ${listed.length - left.length} files too many. Run: node scripts/check-packages.mjs --shrink`,
    );
}

/** Finds decisions with the same number, which happens when two branches add one. */
function checkDecisions() {
  const seen = new Map();
  for (const name of readdirSync("docs/decisions").sort()) {
    const number = name.slice(0, 4);
    if (seen.has(number))
      report(`docs/decisions/${name}`, `has the same number as ${seen.get(number)}: take the next free one`);
    seen.set(number, name);
  }
}

/** Checks that links to our own docs begin with the repository's address in the root's package.json. */
function checkAddresses() {
  const { repository } = JSON.parse(readFileSync("package.json", "utf8"));
  const files = ["packages", "apps"].flatMap((group) =>
    readdirSync(group).flatMap((folder) => [
      ...filesBelow(join(group, folder, "src")),
      join(group, folder, "README.md"),
    ]),
  );
  for (const file of files) {
    for (const [link] of readFileSync(file, "utf8").matchAll(/https:\/\/[^\s"`)]+\/blob\/main\/docs\/[\w.-]+/g))
      if (!link.startsWith(`${repository}/`)) report(file, `${link} is not in ${repository}`);
  }
}

function checkLength(file, limit) {
  const lines = linesOf(file);
  if (lines > limit) report(file, `has ${lines} lines, at most ${limit}`);
}

function linesOf(file) {
  return readFileSync(file, "utf8").trimEnd().split("\n").length;
}

function filesBelow(dir) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
