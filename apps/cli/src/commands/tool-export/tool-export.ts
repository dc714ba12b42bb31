// `ikigai tool export`: gives tools to other agents. What it would write is shown first, and written after a yes.

import { chmodSync, copyFileSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findTool, type RegisteredTool, type Registry } from "@ikigai/core";
import { sanitiseLine } from "@ikigai/screen";
import { isMacOs, lockFile, makeDirectories, makePrivateDirectory, realPathOf, writeAtomically } from "@ikigai/system";
import { Refusal } from "@ikigai/tool-packages";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import type { ExportTarget } from "../../args/tool-commands.ts";
import { UsageError } from "../../args/usage-error.ts";
import { canAsk, confirm, nobodyToAsk } from "../../host/confirm.ts";
import { exitCodes } from "../../host/exit.ts";
import { toolNotFound } from "../../host/nearest-name.ts";
import { openToolbox } from "../../host/open-toolbox.ts";
import { exportedToolPath } from "../../host/own-paths.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { shortPath } from "../../render/short-forms.ts";
import { type Command, type CommandContext, withRefusals } from "../command.ts";
import { type Export, type Exported, exportFormats } from "./export-formats.ts";

const syntax = commands["tool export"];

export const toolExport: Command = {
  async run(args, context) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const names = readOperands(operands, syntax);
    const target = values.to?.[0] as ExportTarget | undefined;
    if (target === undefined) throw new UsageError(`Expected --to with one of ${syntax.options.to.oneOf.join(", ")}.`);
    if (names.length > 0 === flags.has("all")) throw new UsageError("Expected the NAME of a tool, or --all.");
    const options = { target, isHere: flags.has("here"), isAllowed: flags.has("yes") };
    return withRefusals(async () => {
      const registry = await openToolbox(context.places, context.env).last();
      const tools = flags.has("all")
        ? registry.tools.filter(isPortable)
        : names.map((name) => required(registry, name));
      return exportTools(tools, options, context);
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
}

/** A file that changes, or a text to print. */
interface Change {
  readonly path: string | undefined;
  readonly before: string;
  readonly text: string;
  readonly isExecutable: boolean;
}

type FileChange = Change & { readonly path: string };

function isFile(change: Change): change is FileChange {
  return change.path !== undefined;
}

async function exportTools(
  tools: readonly RegisteredTool[],
  { target, isHere, isAllowed }: ExportOptions,
  { places, env }: CommandContext,
): Promise<number> {
  const program = join(places.home, "exports/exported-tool.mjs");
  const where = { ...places, env, isHere, isMac: isMacOs };
  const exports = tools.map((tool) => exportFormats[target](toExported(tool, program), where));
  const all = changesOf(exports);
  for (const { path, text } of all) if (path === undefined) printOut(text);
  const changes = all.filter(isFile);
  if (changes.length > 0) {
    for (const change of changes)
      printError(`${sanitiseLine(shortPath(change.path, places))}:\n${changedLines(change)}`);
    if (!isAllowed && !canAsk()) throw nobodyToAsk();
    if (!isAllowed && !(await confirm(`Write ${changes.length === 1 ? "this file" : "these files"}?`))) {
      printError("Nothing was written.\n");
      return exitCodes.failed;
    }
  }
  if (needsProgram(target)) {
    makePrivateDirectory(dirname(program));
    copyFileSync(exportedToolPath, program);
  }
  for (const change of changes) await write(change);
  if (changes.length > 0)
    printError(`${target} has ${tools.map(({ name }) => name).join(", ")} from its next start.\n`);
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

/** The lines between the first and the last that differ, as a diff shows them. */
function changedLines({ before, text }: Change): string {
  const [old, now] = [before.split("\n"), text.split("\n")];
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
  const target = realPathOf(path);
  makeDirectories(dirname(target));
  using lock = await lockFile(target);
  await writeAtomically(lock, Buffer.from(text));
  if (isExecutable) chmodSync(target, 0o755);
}
