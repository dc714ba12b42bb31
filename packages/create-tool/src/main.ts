// `npm create @ikigai/tool`. In order: the usage, main (arguments, questions, files, git, what to do next), and each of these steps.

import { execFileSync, type StdioOptions } from "node:child_process";
import { readdirSync } from "node:fs";
import { constants } from "node:os";
import { dirname, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { findProgram, optionProblem, pathOutsideProject, shellWord, systemReason } from "@ikigai/system";
import { askLanguage, askName, askText, askYesNo, type Dialog, missingPrograms, NoAnswer } from "./ask.ts";
import { type LanguageName, languageNames, readName, type ToolNames } from "./names.ts";
import { type Files, packageFiles, toolchain, writeFiles } from "./scaffold.ts";

const usage = `Create a package with an ikigai tool

Usage: npm create @ikigai/tool [NAME] [-- OPTIONS]

  NAME             for example weather-tool, or @acme/weather-tool
  --lang LANGUAGE  ${languageNames.join(", ")} (default: typescript)
  --dir DIR        folder of the package (default: its name)
  --git            run git init
  --help           print this

On a terminal, it asks for what is missing. With NAME and --lang it asks nothing.
A language may follow NAME without --lang: npm drops an option that comes before --, and keeps its value.
`;

const options = {
  help: { type: "boolean", short: "h" },
  lang: { type: "string" },
  dir: { type: "string" },
  git: { type: "boolean" },
} as const;

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

const elsewhere = "Nothing was written. Choose another folder with --dir.";

// The reader has gone, as with `| head`. What is written so far stays.
process.stdout.on("error", () => process.exit(128 + constants.signals.SIGPIPE));
process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const given = readArguments();
    if (given === undefined) {
      process.stdout.write(usage);
      return 0;
    }
    const taken = given.folder === undefined ? undefined : obstacleIn(given.folder);
    if (taken !== undefined) return fail(`${taken} ${elsewhere}`, 1);
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
  const leave = () => {
    process.stdout.write("\n");
    process.exit(fail("Nothing was written.", 130));
  };
  process.once("SIGINT", leave);
  const names = await askName(dialog, given.name);
  const language = given.language ?? (await askLanguage(dialog, process.env));
  const folder = given.folder ?? (await askFolder(dialog, names.file));
  const git = given.git || (canInitialise(folder) && (await askYesNo(dialog, "Run git init?")));
  dialog.say("");
  dialog.close();
  process.off("SIGINT", leave);
  return { names, language, folder, git };
}

async function askFolder(dialog: Dialog, usual: string): Promise<string> {
  for (;;) {
    const folder = await askText(dialog, "Folder", usual);
    const taken = obstacleIn(folder);
    if (taken === undefined) return folder;
    dialog.say(taken);
  }
}

/** Whether git is installed and the folder is not part of a repository yet. */
function canInitialise(folder: string): boolean {
  if (missingPrograms(["git"], process.env).length > 0) return false;
  try {
    git(["rev-parse", "--git-dir"], { cwd: dirname(resolve(folder)), stdio: "ignore" });
    return false;
  } catch {
    return true;
  }
}

function create({ names, language, folder, git: isRepository }: Wanted): number {
  const taken = obstacleIn(folder);
  if (taken !== undefined) return fail(`${taken} ${elsewhere}`, 1);
  if (isRepository && missingPrograms(["git"], process.env).length > 0)
    return fail("git is not on your PATH. Install it, or leave out --git. Nothing was written.", 1);
  const problem = writePackage(folder, packageFiles(names, language, { author: findAuthor() }));
  if (problem !== undefined) return fail(problem, 1);
  if (isRepository) git(["init", "--quiet", folder], { stdio: "inherit" });
  process.stdout.write(`Created ${names.package} in ${folder}/. Next:\n\n${nextSteps(names, language, folder)}`);
  return 0;
}

function nextSteps(names: ToolNames, language: LanguageName, folder: string): string {
  const isTypescript = language === "typescript";
  const { build } = toolchain(names, language);
  const steps = [
    `cd ${shellWord(folder)}`,
    ...(isTypescript ? ["npm install"] : []),
    isTypescript ? "npm test              # types, build, tests, the protocol" : "npm test",
    ...(!isTypescript && build.length > 0 ? ["npm run build"] : []),
    ...(isTypescript ? [] : ["npm run check         # the protocol"]),
    `ikigai tool add .     # use a copy; after a change: ${build.length > 0 ? "npm run build && " : ""}ikigai tool update ${names.name}`,
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
  const problem = optionProblem(process.argv.slice(2), options);
  if (problem !== undefined) throw new UsageError(`${problem} Try: npm create @ikigai/tool -- --help`);
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) return undefined;
  const [name, second, third] = positionals;
  const isLanguage = values.lang === undefined && languageNames.some((one) => one === second);
  const unexpected = isLanguage ? third : second;
  if (unexpected !== undefined)
    throw new UsageError(
      `Unexpected ${JSON.stringify(unexpected)}. Only a language may follow NAME: ${languageNames.join(", ")}. npm needs -- before the options: npm create @ikigai/tool NAME -- --dir DIR`,
    );
  const lang = values.lang ?? second;
  const language = languageNames.find((one) => one === lang);
  if (lang !== undefined && language === undefined)
    throw new UsageError(`Expected --lang ${languageNames.join("|")}, got ${JSON.stringify(lang)}.`);
  return { name, language, folder: values.dir, git: values.git ?? false };
}

/** The copyright holder of the license: the author's name that npm or git knows. */
function findAuthor(): string {
  const known = process.env.npm_config_init_author_name;
  if (known) return known;
  try {
    return git(["config", "user.name"], { stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "the authors";
  }
}

/** Runs the user's git, never one of the directory that npm puts first on the PATH. @throws if it is missing or fails. */
function git(args: readonly string[], options: { readonly cwd?: string; readonly stdio: StdioOptions }): string {
  const here = process.cwd();
  const PATH = pathOutsideProject(process.env.PATH ?? "", here);
  const program = findProgram("git", PATH, here) ?? "/usr/bin/git";
  // Nothing is printed to a stream that is not a pipe.
  return execFileSync(program, args, { ...options, env: { ...process.env, PATH }, encoding: "utf8" }) ?? "";
}

function fail(reason: string, exitCode: number): number {
  process.stderr.write(`create-tool: ${reason}\n`);
  return exitCode;
}

/** Returns why a package cannot be written into this folder; nothing if it is new or empty. */
function obstacleIn(folder: string): string | undefined {
  try {
    return readdirSync(folder).length === 0 ? undefined : `${folder} is not empty.`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    return code === "ENOTDIR" ? `${folder} is not a folder.` : `${folder} cannot be used: ${message}.`;
  }
}

/** Writes a package into a new or empty folder. Returns what prevents it, if anything. */
function writePackage(folder: string, files: Files): string | undefined {
  try {
    writeFiles(folder, files);
    return undefined;
  } catch (error) {
    return `Cannot write to ${folder}: ${systemReason(error as NodeJS.ErrnoException)}. Choose another folder with --dir.`;
  }
}

/** Asks on stdin and stdout. The terminal itself edits the lines, so Ctrl-C sends SIGINT. */
function terminalDialog(): Dialog & { close(): void } {
  const input = createInterface({ input: process.stdin, terminal: false });
  const lines = input[Symbol.asyncIterator]();
  return {
    async ask(question) {
      process.stdout.write(question);
      const { value, done } = await lines.next();
      if (!done) return value.trim();
      // Ctrl-D leaves the cursor after the question.
      process.stdout.write("\n");
      return undefined;
    },
    say: (line) => void process.stdout.write(`${line}\n`),
    // An open stdin keeps the process running.
    close: () => input.close(),
  };
}
