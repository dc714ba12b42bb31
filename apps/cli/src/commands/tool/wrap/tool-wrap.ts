// `ikigai tool wrap`: writes a plain tool that calls a script or the tasks of a project. Shows it first.

import { basename, dirname, join, relative, resolve } from "node:path";
import { isatty } from "node:tty";
import { readName, writeFiles } from "@ikigai/create-tool";
import { matchesWildcard } from "@ikigai/permission";
import { plainHeaderBytes, readPlainTools } from "@ikigai/protocol";
import { sanitise, sanitiseLine, wrapHanging } from "@ikigai/screen";
import {
  isProgram,
  makeDirectories,
  makePrivateDirectory,
  readRegularFile,
  realPathOf,
  runProgram,
  shellWord,
  systemReason,
} from "@ikigai/system";
import { Refusal, ToolRoot } from "@ikigai/tool-packages";
import { commands } from "../../../args/commands.ts";
import { readOperands, readOptions } from "../../../args/read-options.ts";
import { UsageError } from "../../../args/usage-error.ts";
import { canAsk, confirm, nobodyToAsk } from "../../../host/terminal/ask-person.ts";
import { exitCodes } from "../../../host/terminal/exit.ts";
import { printError, printOut } from "../../../host/terminal/stdout.ts";
import { shortPath } from "../../../render/short-forms.ts";
import { type Command, withRefusals } from "../../command.ts";
import { refuseTaken, trustNew, warnOfOverrides } from "../tool-new.ts";
import { fromOpenApi } from "./openapi.ts";
import { anyArguments, readSource } from "./read-source.ts";
import { type TaskLister, taskListerOf } from "./read-tasks.ts";
import { type Source, tagsOf } from "./source.ts";

const syntax = commands["tool wrap"];

export const toolWrap: Command = {
  run(args, { places, env }) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const [given = ""] = readOperands(operands, syntax);
    const path = realPathOf(resolve(places.projectDir, given));
    return withRefusals(async () => {
      const text = readText(path, given);
      const file = basename(path);
      const names = readName(values.name?.[0] ?? nameFor(path));
      if ("problem" in names) throw new UsageError(`${names.problem} Choose one: --name NAME`);
      const isProject = flags.has("project");
      const root = ToolRoot.of(places, { isProject });
      refuseTaken(names, root.tools, "plain");
      const lister = taskListerOf(file);
      const found = lister
        ? await askTasks(lister, { directory: dirname(path), env, isAllowed: flags.has("yes") })
        : ((await fromOpenApi(file, text, { name: names.name, server: values.server?.[0] })) ?? readSource(file, text));
      if (found === undefined) return nothingWritten();
      const source = chosen(found, values.only ?? []);
      if (source.commands.length === 0) throw new Refusal(`${given} has no tasks to wrap. ${whatIsRead}`);
      if (source.program === undefined && !source.linesFor && !isProgram(path))
        throw new Refusal(`${given} cannot be run. Try: chmod +x ${shellWord(given)}`);
      const place = isProject ? `"$(dirname "$0")"/${shellWord(relative(root.tools, path))}` : shellWord(path);
      const { script, notes } = scriptFor(source, { place, name: names.name, file, text });
      const target = join(root.tools, names.file);
      printOut(`${shortPath(target, places)}:\n\n${preview(script)}\n\n`);
      for (const note of notes) printError(`${sanitiseLine(note)}\n`);
      if (!flags.has("yes") && !canAsk()) throw nobodyToAsk();
      if (!flags.has("yes") && !(await confirm("Write it?"))) return nothingWritten();
      if (root.scope === "user") makePrivateDirectory(root.path);
      makeDirectories(root.tools, root.directoryMode);
      writeFiles(root.tools, { [names.file]: script });
      const [first] = source.commands;
      const called =
        first?.word === undefined ? names.name : `${names.name}_${first.word.replace(/[^A-Za-z0-9]+/g, "_")}`;
      printOut(`Wrote it. How to call it: ikigai tool call ${called} --help\n`);
      warnOfOverrides(names, { path: target }, places);
      if (isProject) await trustNew(names, places);
      return exitCodes.done;
    });
  },
};

/** The script as it is shown. On a terminal, long lines wrap between words, and continue below the text of a comment. */
function preview(script: string): string {
  const text = sanitise(script.replace(/^/gm, "  ")).trimEnd();
  return isatty(1) ? wrapHanging(text, process.stdout.columns, 6).join("\n") : text;
}

const whatIsRead =
  "Read are scripts with getopts, options in a case, argparse, click or argc's comments, usage.kdl, OpenAPI 3, the scripts of package.json, recipes of just, tasks of mise, and targets of a Makefile with a text after ##.";

function nothingWritten(): number {
  printError("Nothing was written.\n");
  return exitCodes.failed;
}

/** Longest time that a program may take to list its tasks, in milliseconds, and the most that it may print, in bytes. */
const listMs = 30_000;
const maxListBytes = 16 * 1_048_576;

/** Runs the program that knows the tasks, after a yes; `undefined` without one. @throws Refusal if it fails. */
async function askTasks(
  { program, args, read }: TaskLister,
  {
    directory,
    env,
    isAllowed,
  }: { readonly directory: string; readonly env: NodeJS.ProcessEnv; readonly isAllowed: boolean },
): Promise<Source | undefined> {
  const line = [program, ...args].map(shellWord).join(" ");
  printError(`To learn the tasks, this is run in their directory: ${sanitiseLine(line)}\n`);
  if (!isAllowed && !canAsk()) throw nobodyToAsk();
  if (!isAllowed && !(await confirm("Run it?"))) return undefined;
  const end = await runProgram(program, args, { cwd: directory, env, timeoutMs: listMs, maxBytes: maxListBytes });
  if (end.exitCode === 0) return read(end.stdout.toString("utf8"));
  const told = end.failure ?? end.stderr.toString("utf8").trim().split("\n")[0] ?? "";
  throw new Refusal(end.isMissing ? `${program} is not installed.` : `${program} failed: ${sanitiseLine(told)}`);
}

/** The commands that the user chose, by their words or with `*` in them. @throws Refusal if there is no such command. */
function chosen(source: Source, only: readonly string[]): Source {
  if (only.length === 0) return source;
  const { commands: all } = source;
  const unknown = only.find((pattern) => !all.some(({ word = "" }) => matchesWildcard(pattern, word)));
  if (unknown !== undefined)
    throw new Refusal(
      `There is no ${unknown}. There are ${all.map(({ word = "one without a name" }) => word).join(", ")}.`,
    );
  return { ...source, commands: all.filter(({ word = "" }) => only.some((one) => matchesWildcard(one, word))) };
}

/** @throws Refusal if it cannot be read. */
function readText(path: string, given: string): string {
  try {
    return readRegularFile(path).toString("utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === undefined ? (error as Error).message : systemReason(error as NodeJS.ErrnoException);
    throw new Refusal(`Cannot read ${given}: ${reason}`);
  }
}

/** A name for the tool: that of the script, or of the folder with the tasks. */
function nameFor(path: string): string {
  const file = basename(path);
  const isTasks = file === "package.json" || /makefile$|^\.?justfile$|^\.?mise(?:\.\w+)?\.toml$/i.test(file);
  const name = isTasks ? basename(dirname(path)) : file.replace(/(?:\.usage)?\.[A-Za-z0-9]+$/, "");
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "");
}

interface Wrapped {
  /** The path of the source, as a word of a shell. */
  readonly place: string;
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

/** The wrapper. If the comments of the source cannot be written as ours, it takes a list of arguments. */
function scriptFor(source: Source, wrapped: Wrapped): { readonly script: string; readonly notes: readonly string[] } {
  const { commands: all, linesFor, notes, interpreter = "#!/bin/sh" } = source;
  const words = all.map(({ word = "" }) => word);
  const head = `${[interpreter, ...tagsOf(source)].join("\n")}\n`;
  const script = `${head}${(linesFor?.(wrapped.place, words) ?? startLines(source, wrapped.place)).join("\n")}\n`;
  const reading = readPlainTools(script.slice(0, plainHeaderBytes), wrapped.name);
  const fits = Buffer.byteLength(head) <= plainHeaderBytes;
  if (reading && "tools" in reading && fits) return { script, notes };
  if (source.dropsDashes || linesFor || source.program !== undefined) {
    const some =
      words.length > 1 ? ` Choose some of its ${words.length} commands, * stands for any text: --only ${words[0]}` : "";
    const { text, expected } = (reading && "problem" in reading && reading.problem) || { text: "", expected: "" };
    throw new Refusal(
      fits
        ? `Its tasks cannot be described: ${expected}: ${text}`
        : `Its tasks cannot be described in ${plainHeaderBytes} bytes.${some}`,
    );
  }
  return scriptFor(anyArguments(wrapped.file, wrapped.text), wrapped);
}

/** The lines of a shell that start the program. */
function startLines({ program, before = [], dropsDashes, runsAnywhere }: Source, place: string): readonly string[] {
  if (program === undefined)
    return [...before, ...(dropsDashes ? ['[ "$1" = -- ] && shift'] : []), `exec ${place} "$@"`];
  return [...before, `${runsAnywhere ? "" : `cd "$(dirname ${place})" && `}exec ${program} "$@"`];
}
