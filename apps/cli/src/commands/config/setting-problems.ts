// What is wrong with settings of the right type: models, modes, shells, base URLs, themes and rules. One function for each kind, for one setting
// or the whole configuration.

import { isAbsolute } from "node:path";
import { type Config, loadConfig, readConfig, renderConfigProblem } from "@ikigai/agent/internal";
import { permissionModes } from "@ikigai/agent/permission-modes";
import { parseSettingKey, themeNamePattern } from "@ikigai/agent/setup";
import { baseUrlProblem, ModelError, modelChoice, providerNames } from "@ikigai/models";
import { sanitise } from "@ikigai/screen";
import { isProgram } from "@ikigai/system";
import { nearestMode } from "../../help/other-agents.ts";
import { ownModels } from "../../host/model/choose-model.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError } from "../../host/terminal/stdout.ts";
import type { CommandContext } from "../command.ts";

/** What is wrong with a setting that has the right type, such as a model's name that no request can use. */
export async function settingProblems(
  key: string,
  value: unknown,
  context: CommandContext,
): Promise<readonly string[]> {
  const { home } = context.places;
  const { config } = readConfig(home);
  const problem = key === "model" && typeof value === "string" ? modelProblem(value, config, context) : undefined;
  return [
    ...(problem === undefined ? [] : [problem]),
    ...modeProblems(key, value),
    ...shellProblems(key, value, config),
    ...baseUrlProblems(key, value),
    ...(key === "screen.theme" && typeof value === "string" && themeNamePattern.test(value)
      ? await themeRefusals(value, home)
      : []),
  ];
}

/** A mode of another agent, or a mistyped one. */
function modeProblems(key: string, value: unknown): readonly string[] {
  if (key !== "permission.mode" || typeof value !== "string" || permissionModes.some((mode) => mode === value))
    return [];
  const nearest = nearestMode(value);
  const advice = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return [`Expected "${key}" to be one of ${permissionModes.join(", ")}, got ${JSON.stringify(value)}.${advice}`];
}

/** A shell that is not installed here, unless its tool runs elsewhere. */
function shellProblems(key: string, value: unknown, { tools = {} }: Config): readonly string[] {
  const [group, tool = "", name] = parseSettingKey(key);
  if (group !== "tools" || name !== "shell" || typeof value !== "string" || !isAbsolute(value)) return [];
  if (tools[tool]?.launcher !== undefined || isProgram(value)) return [];
  return [`There is no program ${JSON.stringify(value)}. To find a shell: command -v fish`];
}

/** The same for a whole configuration, by key. */
export async function configProblems(
  config: Config,
  context: CommandContext,
): Promise<readonly { key: string; message: string }[]> {
  const { theme } = config.screen ?? {};
  const themes = theme === undefined ? [] : await themeRefusals(theme, context.places.home);
  const model = config.model === undefined ? undefined : modelProblem(config.model, config, context);
  const urls = providerNames.flatMap((provider) => {
    const key = `providers.${provider}.baseUrl`;
    return baseUrlProblems(key, config.providers?.[provider]?.baseUrl).map((message) => ({ key, message }));
  });
  return [
    ...(model === undefined ? [] : [{ key: "model", message: model }]),
    ...urls,
    ...themes.map((message) => ({ key: "screen.theme", message })),
  ];
}

/**
 * Says on stderr what is wrong with the configuration after a change. Returns the exit code: that of a broken configuration
 * if nothing can run with it.
 */
export async function reportProblems(context: CommandContext): Promise<number> {
  const { path, config, problems } = readConfig(context.places.home);
  const isUsable = problems.every(({ isFatal }) => !isFatal);
  if (!isUsable) printError("ikigai: The configuration still cannot be used, so nothing will run:\n");
  const unusable = (await configProblems(config, context)).map((problem) => ({ ...problem, path, isFatal: false }));
  for (const problem of [...problems, ...unusable]) printError(`${sanitise(renderConfigProblem(problem))}\n`);
  if (!isUsable) printError("To remove a setting: ikigai config unset KEY\n");
  return isUsable ? exitCodes.done : exitCodes.usage;
}

/** Why a conversation could not start with this model's name. */
function modelProblem(wanted: string, config: Config, { places, env }: CommandContext): string | undefined {
  try {
    modelChoice({ config, env, wanted, ownModels: ownModels(places.projectDir) });
    return undefined;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return error.message;
  }
}

/** What is wrong with the base URLs that the value is or holds. */
function baseUrlProblems(key: string, value: unknown): readonly string[] {
  const set = parseSettingKey(key);
  return providerNames.flatMap((provider) => {
    const path = ["providers", provider, "baseUrl"];
    const isSet = set.every((name, index) => name === path[index]);
    const baseUrl = isSet ? path.slice(set.length).reduce<unknown>(memberOf, value) : undefined;
    const problem = typeof baseUrl === "string" ? baseUrlProblem(provider, baseUrl) : undefined;
    return problem === undefined ? [] : [problem];
  });
}

/** A member of an object; undefined for anything else. */
export function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === "object" && value !== null;
  return isObject && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

/** What is wrong with a theme's name or file; nothing for `auto` and the themes that ship. */
export async function themeProblems(name: string, home: string): Promise<readonly string[]> {
  return (await checkedTheme(name, home)).problems;
}

/** Why a theme cannot be used at all. Without a part of its file that is wrong it can be. */
async function themeRefusals(name: string, home: string): Promise<readonly string[]> {
  const { isUsable, problems } = await checkedTheme(name, home);
  return isUsable ? [] : problems;
}

async function checkedTheme(name: string, home: string): Promise<{ isUsable: boolean; problems: readonly string[] }> {
  if (name === "auto") return { isUsable: true, problems: [] };
  const { loadTheme } = await import("../../tui/app/user-files.ts");
  const { theme, problems } = loadTheme(name, home, {});
  return { isUsable: theme !== undefined, problems };
}

/** Says on stderr which rules of the configuration probably do not do what they are meant to. */
export async function warnOfRules({ places, env }: CommandContext): Promise<void> {
  const rules = loadConfig(places.home).config.permission?.rules ?? [];
  if (rules.length === 0) return;
  const { openCommandTools } = await import("../../host/conversation/command-tools.ts");
  const { ruleWarnings } = await import("../../render/tool/rule-warnings.ts");
  const registry = await openCommandTools(places, env).last();
  const labelled = rules.map(({ verdict, rule }) => ({ label: verdict, rule }));
  for (const warning of ruleWarnings(labelled, registry)) printError(`${warning}\n`);
}
