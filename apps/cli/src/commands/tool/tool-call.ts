// `ikigai tool call`: reads the arguments from words, JSON or stdin, calls the tool as a model would, and prints its envelope or its answer.
// Without arguments it explains the tool.

import { randomUUID } from "node:crypto";
import { type ToolRules, toolSetup, withoutSecrets } from "@ikigai/agent/internal";
import { callTool, failedOutcome, findTool, type Registry } from "@ikigai/core";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { beforeExit, nearestWord, shellWord } from "@ikigai/system";
import { commands } from "../../args/commands.ts";
import { readSandboxFlags } from "../../args/parse-argv.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { callCommand, explainCall, type Printed, printedInShell, readArguments } from "../../help/call-words.ts";
import { openCommandTools, requireSandbox, toolNotFound } from "../../host/conversation/command-tools.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { printFaithfully } from "../../render/line-output.ts";
import { reportSkipped } from "../../render/tool/report-tools.ts";
import type { Command, CommandContext } from "../command.ts";
import { misnamedFile, renderMisnamed } from "./tool-problems.ts";

const syntax = commands["tool call"];

export const toolCall: Command = {
  async run(args, context) {
    const isHelp = args.some((word) => word === "--help" || word === "-h");
    const { operands, flags, isCommand } = readCallWords(args.filter((word) => word !== "--help" && word !== "-h"));
    const [name = "", ...words] = readOperands(operands, syntax);
    const [given] = words;
    if (isHelp) return explain(name, isCommand, context);
    if (given?.trim() === "")
      throw new UsageError(
        `Expected the arguments to be a JSON object, got an empty text. Without any: ikigai tool call ${sanitiseLine(name)}`,
      );
    const { secrets, openNetwork } = toolSetup({ ...context, flags: readSandboxFlags(flags) });
    const { rules } = openNetwork();
    await requireSandbox(rules, context.places, context.env);
    const isResult = flags.has("result");
    const call = callOnce(name, words, { ...context, rules, secrets, isCommand, isResult });
    const leave = beforeExit(() => {
      call.stop();
      return call.end;
    });
    const { stdout, stderr, exitCode } = await call.end;
    leave();
    printFaithfully(stdout);
    printError(sanitise(stderr));
    return exitCode;
  },
};

/** A command of `ikigai tool path` is called as `NAME --result WORDS`: all words are those of the tool. */
function readCallWords(args: readonly string[]) {
  const [name = "", option, ...words] = args;
  const isCommand = option === "--result" && !name.startsWith("-");
  if (!isCommand) return { ...readCallOptions(args), isCommand };
  return { operands: [name, ...words], flags: new Set(["result"] as const), isCommand };
}

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
async function explain(name: string, isProgram: boolean, { places, env }: CommandContext): Promise<number> {
  const registry = await openCommandTools(places, env).last();
  const tool = findTool(registry, name);
  if (tool) {
    printOut(explainCall(isProgram ? sanitiseLine(name) : callCommand(name), tool.schema, { isProgram }));
    return exitCodes.done;
  }
  reportSkipped(registry, name);
  printError(`ikigai: ${sanitiseLine(toolNotFound(registry, name))}\n`);
  return exitCodes.failed;
}

interface CallContext extends CommandContext {
  readonly rules: ToolRules;
  readonly secrets: readonly string[];
  /** Whether the words are those of a command in a shell. */
  readonly isCommand: boolean;
  /** Whether the answer is printed without its envelope. */
  readonly isResult: boolean;
}

/** Calls a tool as a model would. `end` resolves to what is printed: the envelope, or the answer alone. */
function callOnce(name: string, words: readonly string[], context: CallContext) {
  const { places, env, rules, secrets, isCommand, isResult } = context;
  const controller = new AbortController();
  const toolbox = openCommandTools(places, env, rules);
  const run = async (): Promise<Printed> => {
    const registry = await toolbox.last();
    reportSkipped(registry, name);
    reportMisnamed(registry, name, places);
    const tool = findTool(registry, name);
    const args = await readArguments({
      ...{ name, tool, words, cwd: places.projectDir },
      ...(isCommand && { command: sanitiseLine(name) }),
    });
    const outcome =
      args === undefined
        ? failedOutcome("INVALID_PARAMS", notUtf8(name))
        : await callTool(registry, name, args, {
            ...rules.settingsFor(name),
            // A person or a program reads it.
            answerBytes: undefined,
            cwd: places.projectDir,
            sessionId: randomUUID(),
            callId: randomUUID(),
            env,
            signal: controller.signal,
          });
    const shown = await withoutSecrets(outcome, secrets);
    if (isResult) return printedInShell(name, shown, tool?.plain !== undefined);
    return {
      stdout: `${shown.json}\n`,
      stderr: shown.notes.map((note) => `${note}\n`).join(""),
      exitCode: shown.envelope.tool_success ? exitCodes.done : exitCodes.failed,
    };
  };
  return { end: run(), stop: () => controller.abort() };
}

/** Names the file whose name keeps it from being the tool that is called. */
function reportMisnamed(registry: Registry, name: string, places: CommandContext["places"]): void {
  const path = findTool(registry, name) ? undefined : misnamedFile(name, places, registry);
  if (path !== undefined) printError(`${renderMisnamed(path, places)}\n`);
}

function notUtf8(name: string): string {
  return `Arguments of tool '${name}': expected a JSON object in UTF-8, got bytes that are not UTF-8`;
}
