import type { Config } from "@ikigai/agent/internal";
import { withoutPassword } from "@ikigai/system";

/** Settings as JSON for people, without keys and without passwords in URLs. */
export function renderSettings(settings: unknown): string {
  return JSON.stringify(settings, shownSetting, 2);
}

/** The configuration with its rules in the form in which the file has them. */
export function asWritten(config: Config): unknown {
  const { permission } = config;
  if (permission?.rules === undefined) return config;
  const rules = permission.rules.map(({ verdict, rule }) => ({ [verdict]: rule }));
  return { ...config, permission: { ...permission, rules } };
}

/** A setting as it may be shown. */
export function shownSetting(name: string, value: unknown): unknown {
  if (name === "apiKey") return "…";
  return name === "baseUrl" && typeof value === "string" ? withoutPassword(value) : value;
}
