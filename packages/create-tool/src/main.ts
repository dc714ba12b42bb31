import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { askLanguage, askName, askText, askYesNo, type Dialog, NoAnswer } from "./ask.ts";
import { type LanguageName, languageNames } from "./language-names.ts";
import { missingPrograms } from "./missing-programs.ts";
import { readName, type ToolNames } from "./read-name.ts";
import { packageFiles, toolchain, writeFiles } from "./scaffold.ts";
import { terminalDialog } from "./terminal-dialog.ts";

const usage = `Create a package with an ikigai tool

Usage: npm create @ikigai/tool [NAME] [-- OPTIONS]

  NAME             for example weather-tool, or @acme/weather-tool
  --lang LANGUAGE  ${languageNames.join(", ")} (default: typescript)
  --dir DIR        folder of the package (default: its name)
  --git            run git init
  --help           print this

On a terminal, it asks for what is missing. With NAME and --lang it asks nothing.
`;

/** The command line is wrong: exit code 2. */
class UsageError extends Error {}

interface Given {
  readonly name: string | undefined;
  readonly language: LanguageName | undefined;
  readonly folder: string | undefined;
  readonly git: boolean;
}

/** A package to be written. */
interface Wanted {
  readonly names: ToolNames;
  readonly language: LanguageName;
  readonly folder: string;
  readonly git: boolean;
}

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const given = readArguments();
    if (given === undefined) {
      process.stdout.write(usage);
      return 0;
    }
    const isAsking = (given.name === undefined || given.language === undefined) && canAsk();
    return create(isAsking ? await ask(given) : withDefaults(given));
  } catch (error) {
    if (error instanceof NoAnswer) return fail("Nothing was written.", 1);
    if (error instanceof UsageError) return fail(error.message, 2);
    throw error;
  }
}

function canAsk(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}

/** @throws UsageError when there is no name, or when it is invalid. */
function withDefaults({ name, language = "typescript", folder, git }: Given): Wanted {
  if (name === undefined) throw new UsageError("Missing NAME. Usage: npm create @ikigai/tool NAME -- --lang LANGUAGE");
  const names = readName(name);
  if ("problem" in names) throw new UsageError(names.problem);
  return { names, language, git, folder: folder ?? names.file };
}

/** @throws NoAnswer at the end of the input. */
async function ask(given: Given): Promise<Wanted> {
  const dialog = terminalDialog();
  const names = await askName(dialog, given.name);
  const language = given.language ?? (await askLanguage(dialog, process.env));
  const folder = given.folder ?? (await askFolder(dialog, names.file));
  const git = given.git || (canInitialise(folder) && (await askYesNo(dialog, "Run git init?")));
  dialog.say("");
  dialog.close();
  return { names, language, folder, git };
}

async function askFolder(dialog: Dialog, usual: string): Promise<string> {
  for (;;) {
    const folder = await askText(dialog, "Folder", usual);
    if (isFree(folder)) return folder;
    dialog.say(`${folder} is not empty.`);
  }
}

/** Whether git is installed and the folder is not part of a repository yet. */
function canInitialise(folder: string): boolean {
  if (missingPrograms(["git"], process.env).length > 0) return false;
  try {
    execFileSync("git", ["rev-parse", "--git-dir"], { cwd: dirname(resolve(folder)), stdio: "ignore" });
    return false;
  } catch {
    return true;
  }
}

function create({ names, language, folder, git }: Wanted): number {
  if (!isFree(folder)) return fail(`${folder} is not empty. Nothing was written.`, 1);
  writeFiles(folder, packageFiles(names, language, { author: findAuthor() }));
  if (git) execFileSync("git", ["init", "--quiet", folder], { stdio: "inherit" });
  process.stdout.write(`Created ${names.package} in ${folder}/. Next:\n\n${nextSteps(names, language, folder)}`);
  return 0;
}

function nextSteps(names: ToolNames, language: LanguageName, folder: string): string {
  const isTypescript = language === "typescript";
  const { build } = toolchain(names, language);
  const steps = [
    `cd ${/[^\w./@-]/.test(folder) ? JSON.stringify(folder) : folder}`,
    ...(isTypescript ? ["npm install"] : []),
    isTypescript ? "npm test              # types, build, tests, the protocol" : "npm test",
    ...(!isTypescript && build.length > 0 ? ["npm run build"] : []),
    "ikigai tool add .     # use it",
    "npm publish",
  ];
  return steps.map((step) => `  ${step}\n`).join("");
}

/**
 * What the command line says; nothing for `--help`.
 *
 * @throws UsageError
 */
function readArguments(): Given | undefined {
  const { values, positionals } = parse();
  if (values.help) return undefined;
  // npm drops an option that comes before `--`, and keeps its value: `NAME python`.
  const lang = values.lang ?? (positionals.length === 2 ? positionals.pop() : undefined);
  const language = languageNames.find((one) => one === lang);
  if (lang !== undefined && language === undefined)
    throw new UsageError(`Expected --lang ${languageNames.join("|")}, got ${JSON.stringify(lang)}.`);
  const [name, ...more] = positionals;
  if (more.length > 0) throw new UsageError(`Expected one name, got ${positionals.join(" ")}.\n${usage}`);
  return { name, language, folder: values.dir, git: values.git ?? false };
}

function parse() {
  try {
    return parseArgs({
      options: {
        help: { type: "boolean", short: "h" },
        lang: { type: "string" },
        dir: { type: "string" },
        git: { type: "boolean" },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`);
  }
}

function isFree(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/** The copyright holder of the license: the author's name that npm or git knows. */
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
