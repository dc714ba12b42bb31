import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { type ToolRules, toolSetup, withoutSecrets } from "@ikigai/agent/internal";
import { callTool, findTool, type Outcome, type Registry } from "@ikigai/core";
import { failedOutcome } from "@ikigai/core/internal";
import { sanitiseLine } from "@ikigai/screen";
import { beforeExit, nearestWord, shellWord } from "@ikigai/system";
import { commands } from "../args/commands.ts";
import { readSandboxFlags } from "../args/parse-argv.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../host/exit.ts";
import { toolNotFound } from "../host/nearest-name.ts";
import { openToolbox, requireSandbox } from "../host/open-toolbox.ts";
import { printError, printOut } from "../host/stdout.ts";
import { printFaithfully } from "../render/line-output.ts";
import { reportSkipped } from "../render/report-tools.ts";
import { explainCall, isPair, readCallWords, requiredWords } from "./call-words.ts";
import type { Command, CommandContext } from "./command.ts";
import { misnamedFile, renderMisnamed } from "./tool-problems.ts";

const syntax = commands["tool call"];

export const toolCall: Command = {
  async run(args, context) {
    const isHelp = args.some((word) => word === "--help" || word === "-h");
    const { operands, flags } = readCallOptions(args.filter((word) => word !== "--help" && word !== "-h"));
    const [name = "", ...words] = readOperands(operands, syntax);
    const [given] = words;
    if (isHelp) return explain(name, context);
    if (given?.trim() === "")
      throw new UsageError(
        `Expected the arguments to be a JSON object, got an empty text. Without any: ikigai tool call ${sanitiseLine(name)}`,
      );
    const { secrets, openNetwork } = toolSetup({ ...context, flags: readSandboxFlags(flags) });
    const { rules } = openNetwork();
    await requireSandbox(rules, context.places, context.env);
    const call = callOnce(name, words, { ...context, rules, secrets });
    const leave = beforeExit(() => {
      call.stop();
      return call.end;
    });
    const isSuccess = await call.end;
    leave();
    return isSuccess ? exitCodes.done : exitCodes.failed;
  },
};

/** Reads the options; one that is not ours was meant as a parameter of the tool. */
function readCallOptions(args: readonly string[]) {
  const [name = "NAME"] = args.filter((word) => !word.startsWith("-"));
  const own = Object.keys(syntax.options).map((option) => `--${option}`);
  const wrong = args.slice(args.indexOf(name) + 1).find((word) => /^--[A-Za-z]/.test(word) && !own.includes(word));
  const [, key = "", value] = /^--([^=]+)(?:=(.*))?$/s.exec(wrong ?? "") ?? [];
  if (wrong === undefined || nearestWord(`--${key}`, own) !== undefined) return readOptions(args, syntax.options);
  const word = `${key.replaceAll("-", "_")}=${value ?? "VALUE"}`;
  throw new UsageError(
    `Unknown option --${sanitiseLine(key)}. A tool's parameters are KEY=VALUE: ikigai tool call ${sanitiseLine(name)} ${sanitiseLine(shellWord(word))}`,
  );
}

/** Prints the parameters of a tool, with an example. */
async function explain(name: string, { places, env }: CommandContext): Promise<number> {
  const registry = await openToolbox(places, env).last();
  const tool = findTool(registry, name);
  if (tool) {
    printOut(explainCall(name, tool.schema));
    return exitCodes.done;
  }
  reportSkipped(registry, name);
  printError(`ikigai: ${sanitiseLine(toolNotFound(registry, name))}\n`);
  return exitCodes.failed;
}

interface CallContext extends CommandContext {
  readonly rules: ToolRules;
  readonly secrets: readonly string[];
}

/**
 * The arguments as JSON; `undefined` if they are not UTF-8.
 *
 * @throws UsageError if they cannot be read, or are missing although the tool requires some.
 */
async function readArguments(registry: Registry, name: string, words: readonly string[], cwd: string) {
  const schema = findTool(registry, name)?.schema;
  const [given] = words;
  if (given === undefined) {
    const required = schema && requiredWords(schema.parameters);
    if (required === undefined) return "{}";
    throw new UsageError(`${name} needs arguments: ikigai tool call ${name} ${sanitiseLine(required)}`);
  }
  const isMistaken = schema !== undefined && /^[A-Za-z_]/.test(given);
  if (words.length === 1 && !isPair(given) && !isMistaken)
    return given === "-" ? decode(await buffer(process.stdin)) : given;
  return JSON.stringify(await readCallWords(words, { name, schema, cwd, stdin: () => buffer(process.stdin) }));
}

/** Calls a tool as a model would, and prints the envelope. `end` resolves to whether the tool succeeded. */
function callOnce(name: string, words: readonly string[], { places, env, rules, secrets }: CallContext) {
  const controller = new AbortController();
  const toolbox = openToolbox(places, env, rules);
  const run = async () => {
    const registry = await toolbox.last();
    reportSkipped(registry, name);
    reportMisnamed(registry, name, places);
    const args = await readArguments(registry, name, words, places.projectDir);
    if (args === undefined) return print(failedOutcome("INVALID_PARAMS", notUtf8(name)));
    const outcome = await callTool(registry, name, args, {
      ...rules.settingsFor(name),
      // A person or a program reads it.
      answerBytes: undefined,
      cwd: places.projectDir,
      sessionId: randomUUID(),
      callId: randomUUID(),
      env,
      signal: controller.signal,
    });
    return print(await withoutSecrets(outcome, secrets));
  };
  return { end: run(), stop: () => controller.abort() };
}

/** Names the file whose name keeps it from being the tool that is called. */
function reportMisnamed(registry: Registry, name: string, places: CommandContext["places"]): void {
  const path = findTool(registry, name) ? undefined : misnamedFile(name, places, registry);
  if (path !== undefined) printError(`${renderMisnamed(path, places)}\n`);
}

/** Prints the outcome; returns whether it is a success. */
function print({ json, envelope, notes }: Outcome): boolean {
  printFaithfully(`${json}\n`);
  for (const note of notes) printError(`${sanitiseLine(note)}\n`);
  return envelope.tool_success;
}

/** Decodes UTF-8; undefined if invalid, since replacement characters would change a path or content. */
function decode(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString("utf8").replace(/^\ufeff/, "") : undefined;
}

function notUtf8(name: string): string {
  return `Arguments of tool '${name}': expected a JSON object in UTF-8, got bytes that are not UTF-8`;
}
