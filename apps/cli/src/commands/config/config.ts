import {
  AgentError,
  type Config,
  configPath,
  loadConfig,
  ModelError,
  providerNames,
  renderConfigProblem,
} from "@ikigai/agent/internal";
import { baseUrlProblem, changeSettings, configSchema, modelChoice, parseSettingKey } from "@ikigai/agent/setup";
import { type CommandName, commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { ownModels } from "../../host/choose-model.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { renderSettings, shownSetting } from "../../render/render-settings.ts";
import { sanitise, sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import type { Command, CommandContext } from "../command.ts";
import { withRefusals } from "../with-refusals.ts";

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
      if (key === "model" && typeof value === "string") checkModel(value, context);
      checkBaseUrls(key, value);
      changeSettings(context.places.home, [{ key, value }]);
      const shown = JSON.stringify(value, (name, inner) => shownSetting(name || (key.split(".").at(-1) ?? ""), inner));
      printOut(`${whereOf(context)}: ${key} = ${sanitiseLine(shown)}\n`);
      if (/\bapiKey\b/.test(key + shown))
        printOut("A key is better kept in the environment. Your shell's history may have it now.\n");
      return exitCodes.done;
    });
  },
};

export const configUnset: Command = {
  async run(args, context) {
    const [key = ""] = operandsOf("config unset", args);
    return withRefusals(async () => {
      changeSettings(context.places.home, [{ key }]);
      printOut(`${whereOf(context)}: ${key} is not set.\n`);
      return exitCodes.done;
    });
  },
};

export const printSchema: Command = {
  async run(args) {
    operandsOf("config schema", args);
    printOut(`${JSON.stringify(configSchema(), null, 2)}\n`);
    return exitCodes.done;
  },
};

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

/** @throws AgentError `invalid_setting` if a conversation could not start with this model's name. */
function checkModel(wanted: string, { places, env }: CommandContext): void {
  try {
    modelChoice({ config: loadConfig(places.home).config, env, wanted, ownModels: ownModels(places.projectDir) });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw new AgentError("invalid_setting", `${error.message}\nNothing was changed.`);
  }
}

/** @throws AgentError `invalid_setting` if the value is or holds a base URL that no request can use. */
function checkBaseUrls(key: string, value: unknown): void {
  const set = parseSettingKey(key);
  for (const provider of providerNames) {
    const path = ["providers", provider, "baseUrl"];
    const isSet = set.every((name, index) => name === path[index]);
    const baseUrl = isSet ? path.slice(set.length).reduce<unknown>(memberOf, value) : undefined;
    const problem = typeof baseUrl === "string" ? baseUrlProblem(provider, baseUrl) : undefined;
    if (problem !== undefined) throw new AgentError("invalid_setting", `${problem}\nNothing was changed.`);
  }
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

/** Rules in the form in which the file has them. */
function asWritten(config: Config): unknown {
  const { permission } = config;
  if (permission?.rules === undefined) return config;
  const rules = permission.rules.map(({ verdict, rule }) => ({ [verdict]: rule }));
  return { ...config, permission: { ...permission, rules } };
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === "object" && value !== null;
  return isObject && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
