// `ikigai tool new`: creates a working tool. In reading order: the command, its checks of name and place, the report, trust, and the files of
// both forms: plain (one file) and full (a folder that is built).

import { existsSync, lstatSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { trustFiles } from "@ikigai/core/trust";
import {
  askLanguage,
  askName,
  type LanguageName,
  languageNames,
  missingPrograms,
  NoAnswer,
  readName,
  type Toolchain,
  type ToolNames,
  toolchain,
  toolFiles,
  writeFiles,
} from "@ikigai/create-tool";
import { sanitiseLine } from "@ikigai/screen";
import { makeDirectories, makePrivateDirectory, shellWord } from "@ikigai/system";
import { Refusal, runUserProgram, ToolRoot, toolsCalled } from "@ikigai/tool-packages";
import type { PlainLanguage } from "../../args/command-groups.ts";
import { commands } from "../../args/commands.ts";
import { usageOf } from "../../args/option.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { ownClone } from "../../host/places/own-paths.ts";
import { askForLine, canAsk } from "../../host/terminal/ask-person.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { shortPath } from "../../render/short-forms.ts";
import { type Command, withRefusals } from "../command.ts";

const syntax = commands["tool new"];

/** Without a terminal, the name is required. */
const required = { ...syntax, operands: [{ name: "NAME" }] };

/** Creates a working tool for the user to change. On a terminal, asks for a missing name. */
export const toolNew: Command = {
  run(args, { places, env }) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const [wanted] = readOperands(operands, syntax);
    const given = values.lang?.[0];
    if (!canAsk() && wanted === undefined) throw new UsageError(`Missing NAME. Usage: ${usageOf(required)}`);
    const [dir] = values.dir ?? [];
    if (dir !== undefined && flags.has("project")) throw new UsageError("Expected --project or --dir, got both.");
    const form = formOf(given, flags.has("json"));
    return withRefusals(async () => {
      const isProject = flags.has("project");
      const root = ToolRoot.of(places, { isProject });
      const directory = dir === undefined ? root.tools : resolve(places.projectDir, dir);
      const ask = (question: string) => askForLine(question, "Nothing was written.");
      const dialog = { ask, say: (line: string) => printError(`${line}\n`) };
      const names = wanted === undefined ? await askName(dialog).catch(nothingWritten) : validName(wanted);
      refuseTaken(names, directory, form.kind);
      const chosen = form.lang ?? (await askLanguage(dialog, env).catch(nothingWritten));
      refuseScope(names, chosen);
      // A directory that the user chose gets the usual permissions.
      const mode = dir === undefined ? root.directoryMode : 0o777;
      if (dir === undefined && root.scope === "user") makePrivateDirectory(root.path);
      const place = { directory, mode, env, isProject };
      const written =
        form.kind === "plain"
          ? writePlain(names, form.lang, place)
          : await writeTool(names, chosen as LanguageName, place);
      report(written, names, places, form.kind);
      warnOfOverrides(names, written, places);
      if (isProject) await trustNew(names, places);
      return written.todo.length === 0 ? exitCodes.done : exitCodes.failed;
    });
  },
};

/** A script with comments, or a program that prints its schema; without a language, the user is asked. */
type Form =
  | { readonly kind: "plain"; readonly lang: PlainLanguage }
  | { readonly kind: "json"; readonly lang: LanguageName | undefined };

function isPlainLanguage(word: string): word is PlainLanguage {
  return Object.hasOwn(plainTemplates, word);
}

/** @throws UsageError if a language does not have the full form, or none was chosen for it. */
function formOf(given: string | undefined, isJson: boolean): Form {
  const lang = languageNames.find((name) => name === given);
  const plain = given ?? (isJson ? "" : "sh");
  if (!isJson && isPlainLanguage(plain)) return { kind: "plain", lang: plain };
  if (given === undefined && !canAsk()) throw new UsageError(`--json needs --lang ${languageNames.join("|")}.`);
  if (given !== undefined && lang === undefined)
    throw new UsageError(`Expected --json with one of ${languageNames.join(", ")}, got ${given}.`);
  return { kind: "json", lang };
}

/** @throws Refusal if the input has ended, otherwise the error itself. */
function nothingWritten(error: unknown): never {
  throw error instanceof NoAnswer ? new Refusal("Nothing was written.") : error;
}

/** @throws UsageError if the name is invalid. */
function validName(wanted: string): ToolNames {
  const names = readName(wanted);
  if ("problem" in names) throw new UsageError(names.problem);
  return names;
}

/** @throws UsageError if the name has a scope, which only a package can have. */
function refuseScope(names: ToolNames, lang: string): void {
  if (names.package === names.file || lang === "typescript") return;
  const option = languageNames.some((name) => name === lang) ? ` -- --lang ${lang}` : "";
  throw new UsageError(
    `Only a package can have a scope. To create one: npm create @ikigai/tool ${names.package}${option}`,
  );
}

/** @throws Refusal if the tool or its folder exists, or the directory is not one. */
export function refuseTaken({ file, folder }: ToolNames, directory: string, kind: Form["kind"]): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Refusal(`${directory} is not a directory. Nothing was written.`);
  const taken = [file, ...(kind === "json" ? [folder] : [])]
    .map((name) => join(directory, name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (taken.length === 0) return;
  const what = taken.length === 1 ? `${taken[0]} already exists` : `${taken.join(" and ")} already exist`;
  const removal = `rm -r ${taken.map(shellWord).join(" ")}`;
  throw new Refusal(
    `${what}. Nothing was written. Choose another name, or remove ${taken.length === 1 ? "it" : "them"}: ${removal}`,
  );
}

function report(written: WrittenTool, { name }: ToolNames, places: Places, kind: Form["kind"]): void {
  const { path, files, todo, left, test } = written;
  const relative = shortWord(path, places);
  // A shell looks up a bare name in PATH.
  const short = relative.includes("/") ? relative : `./${relative}`;
  printOut(`Wrote ${files.map((file) => shortPath(file, places)).join("\n      ")}\n`);
  if (todo.length > 0) {
    for (const sentence of todo) printError(`${sanitiseLine(sentence)}\n`);
    printError(`To start over, remove it: rm -r ${sanitiseLine(left.map(shellWord).join(" "))}\n`);
    return;
  }
  // ikigai does not find it there, so it is called directly.
  const found = places.directories.find((directory) => directory.path === dirname(path));
  const isFound = found !== undefined;
  // After an edit, a project's tool is no longer trusted, and its name is refused.
  const checked = isFound && found.scope !== "project" ? name : short;
  const text = "text='one two'";
  const byHand = kind === "plain" ? `argc_${text} ${short}` : `echo '{"text": "one two"}' | ${short}`;
  printOut(`Call it:  ${isFound ? `ikigai tool call ${name} ${text}` : byHand}\n`);
  printOut(`Check it: ikigai tool check ${checked}\n`);
  if (test !== undefined) printOut(`Test it:  ${test(shortWord(written.folder, places))}\n`);
}

/** A path as a word of a command line; a shell expands only a `~` that is not quoted. */
function shortWord(path: string, places: Places): string {
  const short = shortPath(path, places);
  return short.startsWith("~/") ? `~/${shellWord(short.slice(2))}` : shellWord(short);
}

export function warnOfOverrides({ name }: ToolNames, { path }: Pick<WrittenTool, "path">, places: Places): void {
  const rank = (file: string) => places.directories.findIndex((directory) => directory.path === dirname(file));
  const own = rank(path);
  // Without a terminal, removing a tool needs --yes.
  const options = `${places.directories[own]?.scope === "project" ? " --project" : ""}${canAsk() ? "" : " --yes"}`;
  const undo = `ikigai tool remove ${name}${options}`;
  for (const other of toolsCalled(name, places.directories).filter((tool) => tool.path !== path)) {
    const which = `${shortPath(other.path, places)} (${other.scope})`;
    if (own < 0) printError(`Another tool is called ${name}: ${which}.\n`);
    else if (own < rank(other.path)) printError(`Not used here: ${which} overrides it.\n`);
    else printError(`It overrides ${which}: every call of ${name} now runs the new tool. To undo: ${undo}\n`);
  }
}

/** Trusts the new tool, but no other file of the project. */
export async function trustNew({ file, folder }: ToolNames, { home, projectDir }: Places): Promise<void> {
  const isOurs = (path: string) => path === `tools/${file}` || path.startsWith(`tools/${folder}/`);
  const { status, problem } = await trustFiles({ home, projectDir, isOurs });
  if (problem !== undefined)
    printError(`Not in use: the project cannot be trusted. ${sanitiseLine(problem)} Then run: ikigai trust\n`);
  else if (status !== "trusted")
    printError("Not in use yet: the project has files that you have not trusted. See: ikigai trust --show\n");
}

/** A new tool's files, and what remains to be done. */
interface WrittenTool {
  readonly path: string;
  readonly folder: string;
  /** The files written; without the tool itself if it could not be built. */
  readonly files: readonly string[];
  /** What the user must do before it works, one sentence each. */
  readonly todo: readonly string[];
  /** What to remove to start over. */
  readonly left: readonly string[];
  /** Returns the command that tests it, if it has a test. */
  test?(folder: string): string;
}

/** Where a tool is written. */
interface ToolPlace {
  readonly directory: string;
  /** The permissions of a new directory. */
  readonly mode: number;
  readonly env: NodeJS.ProcessEnv;
  /** Whether it is part of a project, so has to be trusted. */
  readonly isProject: boolean;
}

/**
 * Writes a plain tool, which is one file.
 *
 * @throws the system's error if it cannot be written.
 */
function writePlain(
  { file, folder }: ToolNames,
  language: PlainLanguage,
  { directory, mode, env }: ToolPlace,
): WrittenTool {
  const path = join(directory, file);
  const { program, text } = plainTemplates[language];
  makeDirectories(directory, mode);
  writeFiles(directory, { [file]: text });
  const isMissing = missingPrograms([program], env).length > 0;
  const todo = isMissing ? [`Not usable yet: ${program} is not on your PATH. Install it.`] : [];
  return { path, folder: join(directory, folder), files: [path], todo, left: [path] };
}

/** Lines of a compiler's output to show; running it by hand shows the rest. */
const maxReasonLines = 2;

/**
 * Writes a tool and its folder, and builds it if necessary and possible.
 *
 * @throws the system's error if it cannot be written.
 */
async function writeTool(
  names: ToolNames,
  language: LanguageName,
  { directory, mode, env, isProject }: ToolPlace,
): Promise<WrittenTool> {
  const [path, folder] = [join(directory, names.file), join(directory, names.folder)];
  makeDirectories(directory, mode);
  // Creating the folder reserves the name.
  mkdirSync(folder, { mode });
  const clone = ownClone();
  const files = toolFiles(names, language, { clone });
  try {
    writeFiles(directory, files);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    rmSync(path, { force: true });
    throw error;
  }
  const chain = toolchain(names, language, { clone, isProject });
  if (chain.source !== undefined) printError(`Using the libraries of ${chain.source} instead of the published ones.\n`);
  const todo = await build(chain, folder, env);
  const written = Object.keys(files).filter((file) => file !== names.file);
  const all = written.map((file) => join(directory, file));
  const built = existsSync(path) ? [path] : [];
  return { path, folder, files: [...built, ...all], todo, left: [folder, ...built], test: chain.test };
}

/** Builds the tool; returns what failed and how to do it by hand, if anything. */
async function build({ build: commands, needs }: Toolchain, folder: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const byHand = commands.map((command) => command.map(shellWord).join(" ")).join(" && ");
  const there = `cd ${shellWord(folder)} && ${byHand}`;
  const missing = missingPrograms(needs, env);
  if (missing.length > 0) {
    const then = byHand === "" ? "" : `, then build the tool: ${there}`;
    const programs = missing.join(" and ");
    return [`Not usable yet: ${programs} ${missing.length === 1 ? "is" : "are"} not on your PATH. Install it${then}`];
  }
  if (byHand !== "") printError(`Building: ${byHand}\n`);
  for (const [program = "", ...args] of commands) {
    const { exitCode, stdout, stderr } = await runUserProgram(program, args, { cwd: folder, env });
    if (exitCode === 0) continue;
    const reason = `${stderr}\n${stdout}`.trim().split("\n").slice(0, maxReasonLines).join(" / ");
    return [`Not built: ${program} failed: ${reason}. To try again: ${there}`];
  }
  return [];
}

/*
 * The plain tools: values come as variables, so that none needs a parser of options; awk would take an option for its own, so its
 * parameter is an operand.
 */

/** A script that counts the words of a text, to be changed. */
interface PlainTemplate {
  /** The program that runs it. */
  readonly program: string;
  readonly text: string;
}

/** The description of a new tool, for scripts whose comments begin with `sign`. */
function header(interpreter: string, parameter = "@option --text! The text", sign = "#"): string {
  return `#!${interpreter}\n${sign} @describe Count the words of a text\n${sign} ${parameter}\n`;
}

const plainTemplates: Readonly<Record<PlainLanguage, PlainTemplate>> = {
  sh: { program: "sh", text: `${header("/bin/sh")}printf '%s\\n' "$argc_text" | wc -w\n` },
  bash: {
    program: "bash",
    text: `${header("/usr/bin/env bash")}read -r -d '' -a words <<< "$argc_text"\necho "\${#words[@]}"\n`,
  },
  python: {
    program: "python3",
    text: `${header("/usr/bin/env python3")}import os\nprint(len(os.environ["argc_text"].split()))\n`,
  },
  ruby: { program: "ruby", text: `${header("/usr/bin/env ruby")}puts ENV.fetch("argc_text").split.size\n` },
  perl: {
    program: "perl",
    text: `${header("/usr/bin/env perl")}my @words = split " ", $ENV{argc_text};\nprint scalar(@words), "\\n";\n`,
  },
  node: {
    program: "node",
    text: `${header("/usr/bin/env node", undefined, "//")}console.log(process.env.argc_text.split(/\\s+/).filter(Boolean).length);\n`,
  },
  awk: {
    program: "awk",
    text: `${header("/usr/bin/awk -f", "@arg text! The text")}BEGIN { print split(ENVIRON["argc_text"], words) }\n`,
  },
};
