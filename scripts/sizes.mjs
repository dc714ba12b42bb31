// Prints the sizes of what is published and of what the command loads, in kilobytes, beside what is recorded in sizes.json. Exits with 1
// if one has grown by more than a tenth. With --write it records the sizes. Needs a build.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const record = join(import.meta.dirname, "sizes.json");
const dist = "apps/cli/dist";
const libexec = "apps/cli/libexec/ikigai";
/** Growth that needs no explanation. */
const allowed = 1.1;
/** The parts of the command with a start of their own, and `rule-warnings`, which `-p --allow` needs before its first request. */
const parts = [
  "ikigai.js",
  "cli",
  "help-on",
  "tool-list",
  "run-print",
  "run-calls",
  "run-repl",
  "rule-warnings",
  "run-tui",
  "formats",
];

const sizes = {
  ...Object.fromEntries(parts.map((name) => [`start: ${name}`, bytesLoadedWith(name)])),
  ...Object.fromEntries(
    namesIn(libexec, /-tool$/).map((name) => [`executable: ${name}`, statSync(join(libexec, name)).size]),
  ),
  ...tarballs(),
};
const recorded = process.argv.includes("--write") ? {} : JSON.parse(readFileSync(record, "utf8"));
const rows = Object.entries(sizes).map(([name, bytes]) => ({ name, now: kilobytes(bytes), before: recorded[name] }));
if (process.argv.includes("--write"))
  writeFileSync(
    record,
    `${JSON.stringify(Object.fromEntries(rows.map(({ name, now }) => [name, now])), undefined, 2)}\n`,
  );
for (const { name, now, before } of rows) {
  const change = before === undefined ? "new" : `${now >= before ? "+" : ""}${Math.round((now / before - 1) * 100)} %`;
  console.log(`${String(now).padStart(8)} kB  ${change.padStart(6)}  ${name}`);
}
const grown = rows.filter(({ now, before }) => before !== undefined && now > before * allowed);
for (const { name, now, before } of grown)
  console.log(`${name} has grown from ${before} to ${now} kB. If it is worth that: npm run sizes -- --write`);
process.exit(grown.length > 0 ? 1 : 0);

/** A part of the command, and all files that load with it. */
function bytesLoadedWith(name) {
  const start = namesIn(dist, /\.js$/).find(
    (file) => file === name || new RegExp(`^${name}-[\\w-]{8}\\.js$`).test(file),
  );
  if (start === undefined)
    throw new Error(`${dist} has no part ${name}: npm run build, or correct the list in scripts/sizes.mjs`);
  const files = [start];
  for (const file of files) {
    const imports = readFileSync(join(dist, file), "utf8").matchAll(/\brequire_[\w$]+=require\("\.\/([\w.-]+)"\)/g);
    for (const [, found = ""] of imports) if (!files.includes(found)) files.push(found);
  }
  return files.reduce((sum, file) => sum + statSync(join(dist, file)).size, 0);
}

/** The archives of the public packages. */
function tarballs() {
  const directory = mkdtempSync(join(tmpdir(), "ikigai-sizes-"));
  try {
    const isPublic = (folder) => !JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).private;
    const folders = ["packages", "apps"].flatMap((group) => readdirSync(group).map((name) => join(group, name)));
    const filters = folders.filter(isPublic).map((folder) => `--filter=./${folder}`);
    const pack = ["run", "--silent", "pnpm", "--", ...filters, "-r", "pack", "--pack-destination", directory];
    execFileSync("npm", pack, { stdio: ["ignore", "ignore", "inherit"] });
    return Object.fromEntries(
      namesIn(directory, /\.tgz$/).map((name) => [
        `package: @ikigai/${name.replace(/^ikigai-|-[\d.]+\.tgz$/g, "")}`,
        statSync(join(directory, name)).size,
      ]),
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function namesIn(directory, pattern) {
  return readdirSync(directory)
    .filter((name) => pattern.test(name))
    .sort();
}

function kilobytes(bytes) {
  return Math.round(bytes / 100) / 10;
}
