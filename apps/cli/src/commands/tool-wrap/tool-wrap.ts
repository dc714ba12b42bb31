// `ikigai tool wrap`: writes a plain tool that calls a script or the tasks of a project. Shows it first.

import { basename, dirname, join, relative, resolve } from "node:path";
import { readName, writeFiles } from "@ikigai/create-tool";
import { plainHeaderBytes, readPlainTools } from "@ikigai/protocol";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import {
  isProgram,
  makeDirectories,
  makePrivateDirectory,
  readRegularFile,
  realPathOf,
  shellWord,
  systemReason,
} from "@ikigai/system";
import { Refusal, ToolRoot } from "@ikigai/tool-packages";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { canAsk, confirm, nobodyToAsk } from "../../host/confirm.ts";
import { exitCodes } from "../../host/exit.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { shortPath } from "../../render/short-forms.ts";
import { type Command, withRefusals } from "../command.ts";
import { refuseTaken, trustNew, warnOfOverrides } from "../tool-new.ts";
import { anyArguments, readSource, type Source, tagsOf } from "./read-source.ts";

const syntax = commands["tool wrap"];

export const toolWrap: Command = {
  run(args, { places }) {
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
      const source = readSource(file, text);
      if (source.commands.length === 0) throw new Refusal(`${given} has no tasks to wrap. ${whatIsRead}`);
      if (source.program === undefined && !source.linesFor && !isProgram(path))
        throw new Refusal(`${given} cannot be run. Try: chmod +x ${shellWord(given)}`);
      const place = isProject ? `"$(dirname "$0")"/${shellWord(relative(root.tools, path))}` : shellWord(path);
      const { script, notes } = scriptFor(source, { place, name: names.name, file, text });
      const target = join(root.tools, names.file);
      printOut(`${shortPath(target, places)}:\n\n${sanitise(script.replace(/^/gm, "  ")).trimEnd()}\n\n`);
      for (const note of notes) printError(`${sanitiseLine(note)}\n`);
      if (!flags.has("yes") && !canAsk()) throw nobodyToAsk();
      if (!flags.has("yes") && !(await confirm("Write it?"))) {
        printError("Nothing was written.\n");
        return exitCodes.failed;
      }
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

const whatIsRead =
  "Read are scripts with getopts, options in a case, argparse, click or argc's comments, the scripts of package.json, and targets of a Makefile with a text after ##.";

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
  const isTasks = file === "package.json" || /makefile$/i.test(file);
  const name = isTasks ? basename(dirname(path)) : file.replace(/\.[A-Za-z0-9]+$/, "");
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
  const { program, commands: all, dropsDashes, linesFor, notes } = source;
  const start = linesFor
    ? linesFor(wrapped.place)
    : program === undefined
      ? [...(dropsDashes ? ['[ "$1" = -- ] && shift'] : []), `exec ${wrapped.place} "$@"`]
      : [`cd "$(dirname ${wrapped.place})" && exec ${program} "$@"`];
  const script = `${["#!/bin/sh", ...tagsOf(all), ...start].join("\n")}\n`;
  const reading = readPlainTools(script.slice(0, plainHeaderBytes), wrapped.name);
  if (reading && "tools" in reading && script.length <= plainHeaderBytes) return { script, notes };
  if (dropsDashes || linesFor || program !== undefined)
    throw new Refusal(`Its tasks cannot be described in ${plainHeaderBytes} bytes.`);
  return scriptFor(anyArguments(wrapped.file, wrapped.text), wrapped);
}
