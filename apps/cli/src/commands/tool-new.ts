import { existsSync, lstatSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { trustFiles } from "@ikigai/core/internal";
import {
  askLanguage,
  askName,
  type LanguageName,
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
import { npmTimeouts, Refusal, runProgram, toolRoot, toolsCalled } from "@ikigai/tool-packages";
import { commands } from "../args/commands.ts";
import { spelled, usageOf } from "../args/option.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import { UsageError } from "../args/usage-error.ts";
import { askForLine, canAsk } from "../host/confirm.ts";
import { exitCodes } from "../host/exit.ts";
import { ownClone } from "../host/own-paths.ts";
import { printError, printOut } from "../host/stdout.ts";
import { shortPath } from "../render/short-forms.ts";
import { type Command, withRefusals } from "./command.ts";

const syntax = commands["tool new"];

const { lang: langOption, ...optional } = syntax.options;

/** Without a terminal, the name and the language are required. */
const required = { ...syntax, operands: [{ name: "NAME" }, { name: spelled("lang", langOption) }], options: optional };

/** Creates a working tool for the user to change. On a terminal, asks for a missing name or language. */
export const toolNew: Command = {
  run(args, { places, env }) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const [wanted] = readOperands(operands, syntax);
    const given = values.lang?.[0] as LanguageName | undefined;
    if (!canAsk() && wanted === undefined) throw new UsageError(`Missing NAME. Usage: ${usageOf(required)}`);
    if (!canAsk() && given === undefined) throw new UsageError(`Missing ${spelled("lang", langOption)}.`);
    const [dir] = values.dir ?? [];
    if (dir !== undefined && flags.has("project")) throw new UsageError("Expected --project or --dir, got both.");
    return withRefusals(async () => {
      const isProject = flags.has("project");
      const root = toolRoot(places, { isProject });
      const directory = dir === undefined ? root.tools : resolve(places.projectDir, dir);
      const ask = (question: string) => askForLine(question, "Nothing was written.");
      const dialog = { ask, say: (line: string) => printError(`${line}\n`) };
      const names = wanted === undefined ? await askName(dialog).catch(nothingWritten) : validName(wanted);
      refuseTaken(names, directory);
      const lang = given ?? (await askLanguage(dialog, env).catch(nothingWritten));
      refuseScope(names, lang);
      // A directory that the user chose gets the usual permissions.
      const mode = dir === undefined ? root.directoryMode : 0o777;
      if (dir === undefined && root.scope === "user") makePrivateDirectory(root.path);
      const written = await writeTool(names, lang, { directory, mode, env, isProject });
      const test = toolchain(names, lang, { isProject }).test(shortWord(written.folder, places));
      report(written, names, test, places);
      warnOfOverrides(names, written, places);
      if (isProject) await trustNew(names, places);
      return written.todo.length === 0 ? exitCodes.done : exitCodes.failed;
    });
  },
};

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
function refuseScope(names: ToolNames, lang: LanguageName): void {
  if (names.package !== names.file && lang !== "typescript")
    throw new UsageError(
      `Only a package can have a scope. To create one: npm create @ikigai/tool ${names.package} -- --lang ${lang}`,
    );
}

/** @throws Refusal if the tool or its folder exists, or the directory is not one. */
function refuseTaken({ file, folder }: ToolNames, directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Refusal(`${directory} is not a directory. Nothing was written.`);
  const taken = [file, folder]
    .map((name) => join(directory, name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (taken.length === 0) return;
  const what = taken.length === 1 ? `${taken[0]} already exists` : `${taken.join(" and ")} already exist`;
  const removal = `rm -r ${taken.map(shellWord).join(" ")}`;
  throw new Refusal(
    `${what}. Nothing was written. Choose another name, or remove ${taken.length === 1 ? "it" : "them"}: ${removal}`,
  );
}

function report(written: WrittenTool, { name }: ToolNames, test: string, places: Places): void {
  const { path, folder, files, todo } = written;
  const relative = shortWord(path, places);
  // A shell looks up a bare name in PATH.
  const short = relative.includes("/") ? relative : `./${relative}`;
  printOut(`Wrote ${files.map((file) => shortPath(file, places)).join("\n      ")}\n`);
  if (todo.length > 0) {
    for (const sentence of todo) printError(`${sanitiseLine(sentence)}\n`);
    const all = [folder, ...(existsSync(path) ? [path] : [])].map(shellWord).join(" ");
    printError(`To start over, remove it: rm -r ${sanitiseLine(all)}\n`);
    return;
  }
  // ikigai does not find it there, so it is called directly.
  const found = places.directories.find((directory) => directory.path === dirname(path));
  const isFound = found !== undefined;
  // After an edit, a project's tool is no longer trusted, and its name is refused.
  const checked = isFound && found.scope !== "project" ? name : short;
  const args = `'{"text": "one two"}'`;
  printOut(`Call it:  ${isFound ? `ikigai tool call ${name} ${args}` : `echo ${args} | ${short}`}\n`);
  printOut(`Check it: ikigai tool check ${checked}\n`);
  printOut(`Test it:  ${test}\n`);
}

/** A path as a word of a command line; a shell expands only a `~` that is not quoted. */
function shortWord(path: string, places: Places): string {
  const short = shortPath(path, places);
  return short.startsWith("~/") ? `~/${shellWord(short.slice(2))}` : shellWord(short);
}

function warnOfOverrides({ name }: ToolNames, { path }: WrittenTool, places: Places): void {
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
async function trustNew({ file, folder }: ToolNames, { home, projectDir }: Places): Promise<void> {
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
  return { path, folder, files: existsSync(path) ? [path, ...all] : all, todo };
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
    const { exitCode, stdout, stderr } = await runProgram(program, args, { cwd: folder, env: npmTimeouts(env) });
    if (exitCode === 0) continue;
    const reason = `${stderr}\n${stdout}`.trim().split("\n").slice(0, maxReasonLines).join(" / ");
    return [`Not built: ${program} failed: ${reason}. To try again: ${there}`];
  }
  return [];
}
