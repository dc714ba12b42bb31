// `ikigai config get`, `set`, `unset`, `schema` and `path`, then how keys and values are read and shown. `config edit` is in config-edit.ts,
// what can be wrong with a valid setting in setting-problems.ts.

import { configPath, loadConfig, renderConfigProblem } from "@ikigai/agent/internal";
import { changeSettings, configSchema, fileSchema, parseSettingKey } from "@ikigai/agent/setup";
import { providerNames } from "@ikigai/models";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { AgentError } from "@ikigai/session";
import { type CommandName, commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { asWritten, renderSettings, shownSetting } from "../../render/render-settings.ts";
import { shortPath } from "../../render/short-forms.ts";
import { type Command, type CommandContext, withRefusals } from "../command.ts";
import { memberOf, reportProblems, settingProblems, themeProblems, warnOfRules } from "./setting-problems.ts";

export const configGet: Command = {
  async run(args, { places }) {
    const [key] = operandsOf("config get", args);
    const path = key === undefined ? [] : parseSettingKey(key);
    const { config, problems } = loadConfig(places.home);
    for (const problem of problems) printError(`${sanitise(renderConfigProblem(problem))}\n`);
    const value = path.reduce<unknown>(memberOf, asWritten(config));
    if (value === undefined) {
      printError(`ikigai: ${key} is not set.\n`);
      return exitCodes.failed;
    }
    const shown = shownSetting(path.at(-1) ?? "", value);
    printOut(`${typeof shown === "string" ? sanitise(shown) : sanitise(renderSettings(shown))}\n`);
    return exitCodes.done;
  },
};

export const configSet: Command = {
  async run(args, context) {
    const [key = "", text = ""] = operandsOf("config set", args);
    const value = settingValue(text);
    return withRefusals(async () => {
      const unknown = keyProblem(key);
      refuse(unknown === undefined ? await settingProblems(key, value, context) : [unknown]);
      const [before] = changeSettings(context.places.home, [{ key, value }]);
      const shown = shownValue(key, value);
      const was = before === undefined ? "" : ` (was ${shownValue(key, before)})`;
      printOut(`${whereOf(context)}: ${key} = ${shown}${was}\n`);
      if (/\bapiKey\b/.test(key + shown)) printOut(keyHint(key));
      const exitCode = await reportProblems(context);
      if (key === "screen.theme") await warnOfTheme(String(value), context);
      if (exitCode === exitCodes.done && /^permission\b/.test(key)) await warnOfRules(context);
      return exitCode;
    });
  },
};

/** Says what is wrong with the file of a theme that can be used anyway. */
async function warnOfTheme(name: string, { places }: CommandContext): Promise<void> {
  for (const problem of await themeProblems(name, places.home)) printError(`${sanitise(problem)}\n`);
}

/** What is better than a key in the configuration. */
function keyHint(key: string): string {
  const provider = providerNames.find((name) => key.split(".")[1] === name) ?? "PROVIDER";
  return `Better: ikigai login ${provider}, which keeps it out of config.json and your shell history.\n`;
}

export const configUnset: Command = {
  async run(args, context) {
    const [key = ""] = operandsOf("config unset", args);
    return withRefusals(async () => {
      const [before] = changeSettings(context.places.home, [{ key }]);
      const isSet = before !== undefined;
      // The value of an unknown key may be a secret.
      const value = isSet && keyProblem(key) === undefined ? ` (was ${shownValue(key, before)})` : "";
      const done = isSet ? `removed ${sanitiseLine(key)}${value}` : `${key} was not set, nothing was changed`;
      printOut(`${whereOf(context)}: ${done}\n`);
      return reportProblems(context);
    });
  },
};

export const printSchema: Command = {
  async run(args) {
    const [file = "config"] = operandsOf("config schema", args);
    const schema = await schemaOf(file);
    if (schema === undefined)
      throw new UsageError(`Expected config, keys or theme, got ${sanitiseLine(file)}.`, {
        got: file,
        known: ["config", "keys", "theme"],
      });
    printOut(`${JSON.stringify(schema, null, 2)}\n`);
    return exitCodes.done;
  },
};

/** The schema of one of the user's files, also under the file's own name; undefined for any other name. */
async function schemaOf(name: string): Promise<object | undefined> {
  const file = name.replace(/\.json$/, "");
  if (file === "config") return configSchema();
  if (file === "keys") return fileSchema((await import("../../tui/app/user-files.ts")).keysShape, "ikigai keys.json");
  if (file === "theme") return fileSchema((await import("../../tui/app/user-files.ts")).themeShape, "ikigai theme");
  return undefined;
}

export const printPath: Command = {
  async run(args, { places }) {
    operandsOf("config path", args);
    printOut(`${configPath(places.home)}\n`);
    return exitCodes.done;
  },
};

function operandsOf(name: CommandName, args: readonly string[]): readonly string[] {
  const syntax = commands[name];
  return readOperands(readOptions(args, syntax.options).operands, syntax);
}

/** @throws AgentError `invalid_setting` with the problems, if there are any. */
function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new AgentError("invalid_setting", `${problems.join("\n")}\nNothing was changed.`);
}

/** Why there is no setting with this key; undefined if there is one. */
function keyProblem(key: string): string | undefined {
  try {
    parseSettingKey(key);
    return undefined;
  } catch (error) {
    if (error instanceof AgentError) return error.message;
    throw error;
  }
}

/** A value on one line, without keys. */
function shownValue(key: string, value: unknown): string {
  return sanitiseLine(
    JSON.stringify(value, (name, inner) => shownSetting(name || (key.split(".").at(-1) ?? ""), inner)),
  );
}

function whereOf({ places }: CommandContext): string {
  return sanitiseLine(shortPath(configPath(places.home), places));
}

/** JSON, and any other text as it is: `true` is a boolean, `anthropic/claude` needs no quotes. */
function settingValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
