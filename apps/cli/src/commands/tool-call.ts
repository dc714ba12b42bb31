import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { loadConfig, storedKeys, type ToolRules, toolRules, withoutSecrets } from "@ikigai/agent/internal";
import { callTool, findTool, type Outcome, type Registry } from "@ikigai/core";
import { failedOutcome } from "@ikigai/core/internal";
import { secretsOf } from "@ikigai/models";
import { sanitiseLine } from "@ikigai/screen";
import { beforeExit } from "@ikigai/system";
import { commands } from "../args/commands.ts";
import { readSandboxFlags } from "../args/parse-argv.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import { UsageError } from "../args/usage-error.ts";
import { exitCodes } from "../host/exit.ts";
import { networkedRules, openToolbox, requireSandbox } from "../host/open-toolbox.ts";
import { printError } from "../host/stdout.ts";
import { printFaithfully } from "../render/line-output.ts";
import { reportSkipped } from "../render/report-tools.ts";
import type { Command, CommandContext } from "./command.ts";
import { misnamedFile, renderMisnamed } from "./tool-problems.ts";

const syntax = commands["tool call"];

export const toolCall: Command = {
  async run(args, context) {
    const { operands, flags } = readOptions(args, syntax.options);
    const [name = "", given] = readOperands(operands, syntax);
    if (given?.trim() === "")
      throw new UsageError(
        `Expected the arguments to be a JSON object, got an empty text. Without any: ikigai tool call ${sanitiseLine(name)}`,
      );
    const { config } = loadConfig(context.places.home);
    const rules = networkedRules(toolRules(config, context.places, readSandboxFlags(flags)), config, context);
    await requireSandbox(rules, context.places, context.env);
    const call = callOnce(name, given === "-" ? decode(await buffer(process.stdin)) : (given ?? "{}"), {
      ...context,
      hasArguments: given !== undefined,
      rules,
      secrets: secretsOf({ ...config, storedKeys: storedKeys({ ...context.places, env: context.env }) }, context.env),
    });
    const leave = beforeExit(() => {
      call.stop();
      return call.end;
    });
    const isSuccess = await call.end;
    leave();
    return isSuccess ? exitCodes.done : exitCodes.failed;
  },
};

interface CallContext extends CommandContext {
  readonly rules: ToolRules;
  readonly secrets: readonly string[];
  /** Whether the user gave arguments. */
  readonly hasArguments: boolean;
}

/** @throws UsageError if a tool with required parameters is called without arguments. */
function refuseWithoutArguments(registry: Registry, name: string): void {
  const required = findTool(registry, name)?.schema.parameters.required;
  if (!Array.isArray(required) || required.length === 0) return;
  const example = JSON.stringify(Object.fromEntries(required.map((key) => [String(key), "…"])));
  throw new UsageError(`${name} needs arguments: ikigai tool call ${name} '${example}'`);
}

/** Calls a tool as a model would, and prints the envelope. `end` resolves to whether the tool succeeded. */
function callOnce(name: string, args: string | undefined, { places, env, rules, secrets, hasArguments }: CallContext) {
  const controller = new AbortController();
  const toolbox = openToolbox(places, env, rules);
  const run = async () => {
    const registry = await toolbox.last();
    reportSkipped(registry, name);
    reportMisnamed(registry, name, places);
    if (!hasArguments) refuseWithoutArguments(registry, name);
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
