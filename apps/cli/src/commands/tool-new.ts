import { existsSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { trustFiles } from "@ikigai/core/internal";
import {
  type LanguageName,
  languageNames,
  readName,
  type Toolchain,
  type ToolNames,
  toolchain,
  toolFiles,
  writeFiles,
} from "@ikigai/create-tool";
import { npmTimeouts, Refusal, runProgram, toolRoot, toolsCalled } from "@ikigai/tool-packages";
import { commands } from "../args/commands.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../host/exit-codes.ts";
import { printError, printOut } from "../host/stdout.ts";
import { sanitiseLine } from "../render/sanitise.ts";
import { shortPath } from "../render/short-path.ts";
import type { Command } from "./command.ts";
import { withRefusals } from "./with-refusals.ts";

const syntax = commands["tool new"];

/** Writes a tool that works at once, to be changed into the one that is wanted. */
export const toolNew: Command = {
  run(args, { places, env }) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const [wanted = ""] = readOperands(operands, syntax);
    const lang = values.lang?.[0] as LanguageName | undefined;
    if (lang === undefined) throw new UsageError(`Missing --lang ${languageNames.join("|")}.`);
    const [dir] = values.dir ?? [];
    if (dir !== undefined && flags.has("project")) throw new UsageError("Expected --project or --dir, got both.");
    return withRefusals(async () => {
      const root = toolRoot(places, { isProject: flags.has("project") });
      const directory = dir === undefined ? root.tools : resolve(places.projectDir, dir);
      const names = namesFor(wanted, lang);
      // A directory of the user's own choice is like any other that they make.
      const mode = dir === undefined ? root.directoryMode : 0o777;
      const written = await writeTool(names, lang, { directory, mode, env });
      report(written, names, toolchain(names, lang).test(shortPath(written.folder, places)), places);
      warnOfOverrides(names, written, places);
      if (flags.has("project")) await trustNew(names, places);
      return exitCodes.done;
    });
  },
};

/** @throws Refusal when the name cannot be used, or has a scope that only a package can have. */
function namesFor(wanted: string, lang: LanguageName): ToolNames {
  const names = readName(wanted);
  if ("problem" in names) throw new Refusal(names.problem);
  if (names.package !== names.file && lang !== "typescript")
    throw new Refusal(
      `Only a package can have a scope. To create one: npm create @ikigai/tool ${wanted} -- --lang ${lang}`,
    );
  return names;
}

function report({ path, files, todo }: WrittenTool, { name }: ToolNames, test: string, places: Places): void {
  const relative = shortPath(path, places);
  // A shell looks for a bare name elsewhere.
  const short = relative.includes("/") ? relative : `./${relative}`;
  printOut(`Wrote ${files.map((file) => shortPath(file, places)).join("\n      ")}\n`);
  // Where no tool is looked for, it is called by hand.
  const isFound = places.directories.some((directory) => directory.path === dirname(path));
  const args = `'{"text": "one two"}'`;
  printOut(`Call it:  ${isFound ? `ikigai tool call ${name} ${args}` : `echo ${args} | ${short}`}\n`);
  printOut(`Check it: ikigai tool check ${isFound ? name : short}\n`);
  printOut(`Test it:  ${test}\n`);
  for (const sentence of todo) printError(`${sanitiseLine(sentence)}\n`);
}

function warnOfOverrides({ name }: ToolNames, { path }: WrittenTool, places: Places): void {
  const rank = (file: string) => places.directories.findIndex((directory) => directory.path === dirname(file));
  const own = rank(path);
  const undo = `ikigai tool remove ${name}${places.directories[own]?.scope === "project" ? " --project" : ""}`;
  for (const other of toolsCalled(name, places.directories).filter((tool) => tool.path !== path)) {
    const which = `${shortPath(other.path, places)} (${other.scope})`;
    if (own < 0) printError(`Another tool is called ${name}: ${which}.\n`);
    else if (own < rank(other.path)) printError(`Not used here: ${which} overrides it.\n`);
    else printError(`It overrides ${which}: every call of ${name} now runs the new tool. To undo: ${undo}\n`);
  }
}

/** Who writes it trusts it; what else the project has is another matter. */
async function trustNew({ file, folder }: ToolNames, { home, projectDir }: Places): Promise<void> {
  const isOurs = (path: string) => path === `tools/${file}` || path.startsWith(`tools/${folder}/`);
  const { status } = await trustFiles({ home, projectDir, isOurs });
  if (status !== "trusted")
    printError("Not in use yet: the project has files that you have not trusted. See: ikigai trust --show\n");
}

/** Where a new tool ended up. */
interface WrittenTool {
  readonly path: string;
  readonly folder: string;
  /** All that is there now; the tool is not among them when it could not be built. */
  readonly files: readonly string[];
  /** What is left to be done before it works, one sentence each. */
  readonly todo: readonly string[];
}

/** The first lines of what a compiler complains about say enough; the rest comes when it is run by hand. */
const maxReasonLines = 2;

/**
 * Writes a tool and what belongs to it, and builds it if that is needed and can be done.
 *
 * @throws Refusal when something of this name is there already. The system's error when it cannot be written.
 */
async function writeTool(
  names: ToolNames,
  language: LanguageName,
  { directory, mode, env }: { readonly directory: string; readonly mode: number; readonly env: NodeJS.ProcessEnv },
): Promise<WrittenTool> {
  const [path, folder] = [join(directory, names.file), join(directory, names.folder)];
  for (const taken of [path, folder]) {
    if (lstatSync(taken, { throwIfNoEntry: false })) throw new Refusal(`${taken} already exists. Nothing was written.`);
  }
  mkdirSync(directory, { recursive: true, mode });
  // Whoever makes the folder has the name.
  mkdirSync(folder, { mode });
  const files = toolFiles(names, language);
  try {
    writeFiles(directory, files);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    rmSync(path, { force: true });
    throw error;
  }
  const todo = await build(toolchain(names, language), folder, env);
  const written = Object.keys(files).filter((file) => file !== names.file);
  const all = written.map((file) => join(directory, file));
  return { path, folder, files: existsSync(path) ? [path, ...all] : all, todo };
}

/** Builds the tool; what could not be done, and how to do it, otherwise. */
async function build({ build: commands, needs }: Toolchain, folder: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const byHand = commands.map((command) => command.join(" ")).join(" && ");
  const missing = needs.filter((program) => !isOnPath(program, env));
  if (missing.length > 0) {
    const then = byHand === "" ? "" : `, then build the tool: cd ${folder} && ${byHand}`;
    const programs = missing.join(" and ");
    return [`Not usable yet: ${programs} ${missing.length === 1 ? "is" : "are"} not on your PATH. Install it${then}`];
  }
  if (byHand !== "") printError(`Building: ${byHand}\n`);
  for (const [program = "", ...args] of commands) {
    const { exitCode, stdout, stderr } = await runProgram(program, args, { cwd: folder, env: npmTimeouts(env) });
    if (exitCode === 0) continue;
    const reason = `${stderr}\n${stdout}`.trim().split("\n").slice(0, maxReasonLines).join(" / ");
    return [`Not built: ${program} failed: ${reason}. To try again: cd ${folder} && ${byHand}`];
  }
  return [];
}

function isOnPath(program: string, { PATH = "" }: NodeJS.ProcessEnv): boolean {
  return PATH.split(delimiter).some((directory) => existsSync(join(directory, program)));
}
