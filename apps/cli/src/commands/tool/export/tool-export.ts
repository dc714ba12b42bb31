// `ikigai tool export`: gives tools to other agents. What it would write is shown first, and written after a yes.

import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { findTool, type RegisteredTool, type Registry } from "@ikigai/core";
import type { JsonObject } from "@ikigai/protocol";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import {
  isMacOs,
  lockFile,
  makeDirectories,
  makePrivateDirectory,
  parseObject,
  realPathOf,
  writeAtomically,
} from "@ikigai/system";
import { Refusal } from "@ikigai/tool-packages";
import type { ExportTarget } from "../../../args/command-groups.ts";
import { commands } from "../../../args/commands.ts";
import { readOperands, readOptions } from "../../../args/read-options.ts";
import { UsageError } from "../../../args/usage-error.ts";
import { exampleArguments } from "../../../help/call-words.ts";
import { openCommandTools, toolNotFound } from "../../../host/conversation/command-tools.ts";
import { exportedToolPath } from "../../../host/places/own-paths.ts";
import { canAsk, confirm, nobodyToAsk } from "../../../host/terminal/ask-person.ts";
import { exitCodes } from "../../../host/terminal/exit.ts";
import { printError, printOut } from "../../../host/terminal/stdout.ts";
import { shortPath } from "../../../render/short-forms.ts";
import { type Command, type CommandContext, withRefusals } from "../../command.ts";
import { checkExport, requireAgent } from "./check-export.ts";
import { type Export, type Exported, exportFormats } from "./export-formats.ts";

const syntax = commands["tool export"];

export const toolExport: Command = {
  async run(args, context) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const names = readOperands(operands, syntax);
    const target = values.to?.[0] as ExportTarget | undefined;
    if (target === undefined) throw new UsageError(`Expected --to with one of ${syntax.options.to.oneOf.join(", ")}.`);
    if (names.length > 0 === flags.has("all")) throw new UsageError("Expected the NAME of a tool, or --all.");
    const given = values.call?.[0];
    const call = given === undefined ? undefined : parseObject(given);
    if (given !== undefined && (call === undefined || !flags.has("check")))
      throw new UsageError(`Expected --check with --call and a JSON object, got ${sanitiseLine(given)}.`);
    if (flags.has("remove") && (flags.has("all") || flags.has("check")))
      throw new UsageError("Expected --remove with the NAME of a tool alone.");
    const options = { target, isHere: flags.has("here"), isAllowed: flags.has("yes"), isRemoved: flags.has("remove") };
    return withRefusals(async () => {
      // The tool may be gone.
      if (options.isRemoved) return exportTools(names.map(named), options, context);
      if (flags.has("check")) requireAgent({ ...context, target, projectDir: context.places.projectDir });
      const registry = await openCommandTools(context.places, context.env).last();
      const tools = flags.has("all")
        ? registry.tools.filter(isPortable)
        : names.map((name) => required(registry, name));
      const program = join(context.places.home, "exports/exported-tool.mjs");
      const exported = tools.map((tool) => toExported(tool, program));
      const code = await exportTools(exported, options, context);
      if (code !== exitCodes.done || !flags.has("check")) return code;
      for (const tool of exported) await check(tool, { ...options, call, ...context });
      return exitCodes.done;
    });
  },
};

/** Servers of others have their own way into an agent, and these tools work only in a conversation of ikigai. */
function isPortable({ name, scope, schema }: RegisteredTool): boolean {
  return !name.startsWith("mcp__") && schema.ikigai?.host === undefined && scope !== "system" && name !== "agent";
}

/** @throws Refusal if there is no such tool. */
function required(registry: Registry, name: string): RegisteredTool {
  const tool = findTool(registry, name);
  if (!tool) throw new Refusal(toolNotFound(registry, name));
  return tool;
}

interface ExportOptions {
  readonly target: ExportTarget;
  readonly isHere: boolean;
  readonly isAllowed: boolean;
  readonly isRemoved: boolean;
}

/** All that is needed to take a tool away. */
function named(name: string): Exported {
  return { name, title: name, description: "", parameters: {}, file: "", command: "", args: [] };
}

interface CheckOptions extends ExportOptions, CommandContext {
  readonly call: JsonObject | undefined;
}

/** Lets the agent call the tool. It runs, so this is asked first. @throws Refusal if the call does not work. */
async function check(tool: Exported, { target, call, isAllowed, places, env }: CheckOptions): Promise<void> {
  const args = call ?? exampleArguments(tool.parameters as JsonObject);
  printError(`${target} will call ${tool.name} ${sanitiseLine(JSON.stringify(args))}, which runs it.\n`);
  if (!isAllowed && !canAsk()) throw nobodyToAsk();
  if (!isAllowed && !(await confirm("Call it?"))) throw new Refusal("It was written and not checked.");
  const got = await checkExport({ target, tool, args, env, projectDir: places.projectDir });
  printOut(`${target} has called ${tool.name}, and its model got:\n${sanitise(got)}\n`);
}

/** A file that changes, or a text to print. */
interface Change {
  readonly path: string | undefined;
  readonly before: string;
  /** `undefined` removes the file. */
  readonly text: string | undefined;
  readonly isExecutable: boolean;
}

type FileChange = Change & { readonly path: string };

function isFile(change: Change): change is FileChange {
  return change.path !== undefined;
}

async function exportTools(
  tools: readonly Exported[],
  { target, isHere, isAllowed, isRemoved }: ExportOptions,
  { places, env }: CommandContext,
): Promise<number> {
  const where = { ...places, env, isHere, isMac: isMacOs };
  const exports = tools.map((tool) => exportFormats[target](tool, where));
  const all = isRemoved ? removalsOf(exports) : changesOf(exports);
  for (const { path, text } of all) if (path === undefined && text !== undefined) printOut(text);
  const changes = all.filter(isFile);
  if (isRemoved && changes.length === 0)
    throw new Refusal(`${target} has no ${tools.map(({ name }) => name).join(", ")}${isHere ? " here" : ""}.`);
  if (changes.length > 0) {
    for (const change of changes)
      printError(`${sanitiseLine(shortPath(change.path, places))}:\n${changedLines(change)}`);
    if (!isAllowed && !canAsk()) throw nobodyToAsk();
    if (
      !isAllowed &&
      !(await confirm(`${isRemoved ? "Change" : "Write"} ${changes.length === 1 ? "this file" : "these files"}?`))
    ) {
      printError("Nothing was changed.\n");
      return exitCodes.failed;
    }
  }
  if (needsProgram(target) && !isRemoved) {
    const program = join(places.home, "exports/exported-tool.mjs");
    makePrivateDirectory(dirname(program));
    copyFileSync(exportedToolPath, program);
  }
  for (const change of changes) await write(change);
  const has = isRemoved ? "no longer has" : "has";
  if (changes.length > 0)
    printError(`${target} ${has} ${tools.map(({ name }) => name).join(", ")} from its next start.\n`);
  if (isRemoved) return exitCodes.done;
  for (const next of new Set(exports.flatMap((one) => one.next ?? []))) printError(`${next}\n`);
  return exitCodes.done;
}

function toExported({ name, path, schema }: RegisteredTool, program: string): Exported {
  const { title = name, description, parameters } = schema;
  // A program of the desktop has another PATH.
  return { name, title, description, parameters, file: path, command: process.execPath, args: [program, path, name] };
}

/** Whether what is exported starts the tool through the program that speaks MCP. */
function needsProgram(target: ExportTarget): boolean {
  return target !== "openai-json" && target !== "llm-functions";
}

/** Several tools may change one file. @throws Refusal if a file cannot be changed. */
function changesOf(exports: readonly Export[]): readonly Change[] {
  const changes = new Map<string | undefined, Change>();
  for (const { path, text, isExecutable = false } of exports) {
    const known = changes.get(path);
    const before = known?.before ?? (path !== undefined && existsSync(path) ? readFileSync(path, "utf8") : "");
    changes.set(path, { path, before, text: text(known?.text ?? before), isExecutable });
  }
  return [...changes.values()];
}

/** The files that have the tools. @throws Refusal if one cannot be changed. */
function removalsOf(exports: readonly Export[]): readonly Change[] {
  const changes = new Map<string, Change>();
  for (const { path, without } of exports) {
    if (path === undefined || !without || !existsSync(path)) continue;
    const before = changes.get(path)?.before ?? readFileSync(path, "utf8");
    const text = without(changes.get(path)?.text ?? before);
    if (text !== before) changes.set(path, { path, before, text, isExecutable: false });
  }
  return [...changes.values()];
}

/** The lines between the first and the last that differ, as a diff shows them. */
function changedLines({ before, text }: Change): string {
  const [old, now] = [before.split("\n"), (text ?? "").split("\n")];
  let first = 0;
  while (first < Math.min(old.length, now.length) && old[first] === now[first]) first++;
  let same = 0;
  while (same < Math.min(old.length, now.length) - first && old.at(-1 - same) === now.at(-1 - same)) same++;
  const part = (lines: readonly string[], mark: string) =>
    lines.slice(first, lines.length - same).map((line) => `${mark} ${sanitiseLine(line)}\n`);
  return [...part(old, "-"), ...part(now, "+")].join("") || "  (unchanged)\n";
}

/** Writes through a link, and keeps the mode of a file that exists. */
async function write({ path, text, isExecutable }: FileChange): Promise<void> {
  if (text === undefined) {
    rmSync(path);
    // A directory of its own, as Gemini's extensions have it, goes with its only file.
    if (readdirSync(dirname(path)).length === 0) rmdirSync(dirname(path));
    return;
  }
  const target = realPathOf(path);
  makeDirectories(dirname(target));
  using lock = await lockFile(target);
  await writeAtomically(lock, Buffer.from(text));
  if (isExecutable) chmodSync(target, 0o755);
}
