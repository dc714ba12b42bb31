import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { packageFiles } from "./package-files.ts";
import { readName } from "./read-name.ts";

const usage = `Starts a package with an ikigai tool in TypeScript, in a folder of its name.

Usage: npm create @ikigai/tool NAME        for instance weather-tool, or @acme/weather-tool
`;

process.exitCode = main();

function main(): number {
  const wanted = readArguments();
  if (wanted === undefined) {
    process.stdout.write(usage);
    return 0;
  }
  const names = readName(wanted);
  if (typeof names === "string") return fail(names, 2);
  if (!isFree(names.file))
    return fail(`Expected ${names.file} to be new or empty, but there is something in it. Nothing was written.`, 1);
  for (const [path, text] of Object.entries(packageFiles(names, { author: findAuthor() }))) {
    mkdirSync(dirname(join(names.file, path)), { recursive: true });
    writeFileSync(join(names.file, path), text, { flag: "wx" });
  }
  process.stdout.write(`Made ${names.package} in ${names.file}/. Now:

  cd ${names.file}
  npm install
  npm test              # types, build, tests, the protocol
  ikigai tool add .     # use it
  npm publish
`);
  return 0;
}

/** The name that is wanted; nothing when it is asked how this works. */
function readArguments(): string | undefined {
  try {
    const { values, positionals } = parseArgs({
      options: { help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
    if (values.help) return undefined;
    if (positionals.length === 1) return positionals[0];
    const got = positionals.length === 0 ? "none" : positionals.join(" ");
    process.exit(fail(`Expected one name, got ${got}.\n${usage}`, 2));
  } catch (error) {
    process.exit(fail(`${(error as Error).message}\n${usage}`, 2));
  }
}

function isFree(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/** Whose licence it is: as npm or git know them. */
function findAuthor(): string {
  const known = process.env.npm_config_init_author_name;
  if (known) return known;
  try {
    return execFileSync("git", ["config", "user.name"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "the authors";
  }
}

function fail(reason: string, exitCode: number): number {
  process.stderr.write(`create-tool: ${reason}\n`);
  return exitCode;
}
