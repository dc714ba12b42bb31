import { existsSync } from "node:fs";
import { join } from "node:path";
import { insertRule, type Permission, type PermissionRule, type RulePlace } from "@ikigai/permission";
import { hereDirectories, hereDirectory } from "@ikigai/system";
import { parseJsonWithComments } from "@ikigai/system/json-with-comments";
import { findNodeAtLocation } from "jsonc-parser/lib/esm/impl/parser.js";
import { checkConfig } from "./check-config.ts";
import { type Config, ConfigError, type ConfigProblem, type LoadedConfig, placeOf } from "./config.ts";
import { readConfigFile } from "./read-config-file.ts";

export function configPath(home: string): string {
  return join(home, "config.json");
}

/**
 * Reads `config.json` in the user's directory, for callers that act on it. A missing file is an empty configuration.
 *
 * @throws ConfigError if the file cannot be read, others can write it, or its sandbox, permission or tools settings are
 * invalid. Other problems are listed in `problems` and their settings dropped.
 */
export function loadConfig(home: string): LoadedConfig {
  const loaded = readConfig(home);
  const fatal = loaded.problems.filter(({ isFatal }) => isFatal);
  if (fatal.length > 0) throw new ConfigError(fatal);
  return loaded;
}

/**
 * Like `loadConfig`, for callers that only report. Never throws: `config` may lack limits that the user has set, so do not
 * act on it.
 *
 * @param draft a text that is to become the configuration, which is checked instead.
 */
export function readConfig(home: string, draft?: string): LoadedConfig {
  const path = configPath(home);
  if (draft !== undefined) return { path, ...checkConfigText(path, draft, { isInUse: false }) };
  const reading = readConfigFile(path);
  if ("problem" in reading) {
    return {
      path,
      config: {},
      problems: [{ path, message: `This file ${reading.problem}`, isFatal: true }],
      holdsKey: true,
    };
  }
  return { path, ...checkConfigText(path, reading.text) };
}

/** Whose directory it is, and the project's. */
type RulePlaces = Pick<Permission, "home" | "projectDir">;

/** The directory with the `config.json` that has the rules. */
export function rulesDirectory(places: RulePlaces, where: RulePlace): string {
  return where === "everywhere" ? places.home : hereDirectory(places);
}

/** Returns the rules that the user has saved for this project only. @throws ConfigError as `loadConfig` does. */
export function projectRules(places: RulePlaces): readonly PermissionRule[] {
  // The directory's name takes a module for hashes, which few starts need.
  if (!existsSync(hereDirectories(places.home))) return [];
  return loadConfig(rulesDirectory(places, "project")).config.permission?.rules ?? [];
}

/** Returns the rules of the configuration and of this project. Those of the project cancel no deny rule. */
export function savedRules(places: RulePlaces, configured: readonly PermissionRule[] = []): PermissionRule[] {
  const all = { rules: [...configured] };
  for (const rule of projectRules(places).toReversed()) insertRule(all, rule);
  return all.rules;
}

/** Returns a problem with a saved rule, and where in the file it is. */
export function problemOfRule(places: RulePlaces, { verdict, rule }: PermissionRule, message: string): ConfigProblem {
  const problem = { key: "permission.rules", message, isFatal: true };
  for (const where of ["everywhere", "project"] as const) {
    const path = configPath(rulesDirectory(places, where));
    const reading = readConfigFile(path);
    const parsed = "problem" in reading ? undefined : parseJsonWithComments(reading.text);
    if (!parsed || "problem" in reading || "expected" in parsed || !parsed.root) continue;
    const rules = findNodeAtLocation(parsed.root, ["permission", "rules"])?.children;
    const node = rules?.map((one) => findNodeAtLocation(one, [verdict])).find((one) => one?.value === rule);
    if (node) return { ...problem, path, place: placeOf(reading.text, node.offset, parsed.root) };
  }
  return { ...problem, path: configPath(places.home) };
}

/**
 * Checks a text that is, or is to become, the configuration. `path` is used in its problems.
 *
 * @param isInUse whether the text is the configuration, so that its problems say which settings are ignored.
 */
export function checkConfigText(
  path: string,
  text: string,
  { isInUse = true }: { readonly isInUse?: boolean } = {},
): Omit<LoadedConfig, "path"> {
  const holdsKey = /api_?key/i.test(text);
  const parsed = parseJsonWithComments(text);
  if ("expected" in parsed) {
    const problem = { path, message: parsed.expected, place: placeOf(text, parsed.offset), isFatal: true };
    return { config: {}, problems: [problem], holdsKey };
  }
  const problems: ConfigProblem[] = [];
  const config = checkConfig(parsed.root, (problem) => {
    const { key, offset, isFatal, isDropped } = problem;
    const message = isInUse && isDropped && !isFatal ? `${problem.message} It is ignored.` : problem.message;
    problems.push({ path, ...(key && { key }), message, place: placeOf(text, offset, parsed.root), isFatal });
  });
  return { config: config as Config, problems, holdsKey };
}
