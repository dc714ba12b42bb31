import { writePrivateFile } from "@ikigai/core";
import type { PermissionRule } from "../permission/permission.ts";
import { realTarget } from "../permission/real-target.ts";
import { configPath, readConfigText } from "./load-config.ts";

/** As much of the file as has to be known to change its rules. */
interface RawConfig {
  permission?: { rules?: unknown[] };
}

/**
 * Adds a rule to the user's `config.json`, before the ones it has. Everything else in it stays as it is.
 *
 * @throws Error when the file cannot be read as configuration or cannot be written; it is then as before.
 */
export function saveRule(home: string, { verdict, rule }: PermissionRule): void {
  changeRules(home, (rules) => [{ [verdict]: rule }, ...rules]);
}

/**
 * Takes a rule out of the user's `config.json`; nothing happens when it is not there.
 *
 * @throws as `saveRule` does.
 */
export function removeRule(home: string, { verdict, rule }: PermissionRule): void {
  const isMeant = (kept: unknown) => (kept as Record<string, unknown> | null)?.[verdict] === rule;
  changeRules(home, (rules) => (rules.some(isMeant) ? rules.filter((kept) => !isMeant(kept)) : undefined));
}

function changeRules(home: string, change: (rules: readonly unknown[]) => unknown[] | undefined): void {
  const path = realTarget(configPath(home), home) ?? configPath(home);
  const text = readConfigText(path);
  const config = text ? parse(text, path) : {};
  const rules = change(Array.isArray(config.permission?.rules) ? config.permission.rules : []);
  if (!rules) return;
  const changed = { ...config, permission: { ...config.permission, rules } };
  writePrivateFile(path, `${JSON.stringify(changed, null, 2)}\n`);
}

/** The parser's own error would quote the file, and with it perhaps a key. */
function parse(text: string, path: string): RawConfig {
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    throw new Error(`${path} is not JSON. Mend it first.`);
  }
  if (typeof config === "object" && config !== null && !Array.isArray(config)) return config;
  throw new Error(`${path} is no JSON object. Mend it first.`);
}
