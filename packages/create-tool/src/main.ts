import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { type LanguageName, languageNames } from "./language-names.ts";
import { readName, type ToolNames } from "./read-name.ts";
import { packageFiles, toolchain, writeFiles } from "./scaffold.ts";

const usage = `Starts a package with an ikigai tool, in a folder of its name.

Usage: npm create @ikigai/tool NAME [--lang LANGUAGE]

  NAME             for instance weather-tool, or @acme/weather-tool
  --lang LANGUAGE  ${languageNames.join(", ")} (default: typescript)
`;

process.exitCode = main();

function main(): number {
  const wanted = readArguments();
  if (wanted === undefined) {
    process.stdout.write(usage);
    return 0;
  }
  const names = readName(wanted.name);
  if ("problem" in names) return fail(names.problem, 2);
  if (!isFree(names.file))
    return fail(`Expected ${names.file} to be new or empty, but there is something in it. Nothing was written.`, 1);
  writeFiles(names.file, packageFiles(names, wanted.language, { author: findAuthor() }));
  process.stdout.write(`Made ${names.package} in ${names.file}/. Now:\n\n${nextSteps(names, wanted.language)}`);
  return 0;
}

function nextSteps(names: ToolNames, language: LanguageName): string {
  const isTypescript = language === "typescript";
  const { build } = toolchain(names, language);
  const steps = [
    `cd ${names.file}`,
    ...(isTypescript ? ["npm install"] : []),
    isTypescript ? "npm test              # types, build, tests, the protocol" : "npm test",
    ...(!isTypescript && build.length > 0 ? ["npm run build"] : []),
    "ikigai tool add .     # use it",
    "npm publish",
  ];
  return steps.map((step) => `  ${step}\n`).join("");
}

/** What is wanted; nothing when it is asked how this works. */
function readArguments(): { readonly name: string; readonly language: LanguageName } | undefined {
  try {
    const { values, positionals } = parseArgs({
      options: { help: { type: "boolean", short: "h" }, lang: { type: "string" } },
      allowPositionals: true,
    });
    if (values.help) return undefined;
    // npm drops an option that stands before `--`, and keeps its value: `NAME python`.
    const lang = values.lang ?? (positionals.length === 2 ? positionals.pop() : "typescript");
    const language = languageNames.find((one) => one === lang);
    const [name] = positionals;
    if (language === undefined)
      process.exit(fail(`Expected --lang ${languageNames.join("|")}, got ${JSON.stringify(lang)}.`, 2));
    if (name !== undefined && positionals.length === 1) return { name, language };
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
