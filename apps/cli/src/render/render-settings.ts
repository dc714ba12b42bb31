// The settings as the user reads them, and where the key of a provider comes from.

import { join } from "node:path";
import type { Config } from "@ikigai/agent/internal";
import { keyringName } from "@ikigai/agent/setup";
import { accessTo, type ProviderName, providerTable, withheldKey } from "@ikigai/models";
import { withoutPassword } from "@ikigai/system";
import { findPlaces } from "../host/places/find-places.ts";
import { shortPath } from "./short-forms.ts";

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

/**
 * Where the key of a provider comes from, for people; the environment comes first, then the configuration. Says when the key is
 * not sent to the base URL in the environment.
 */
export function keySource(provider: ProviderName, config: Config, env: NodeJS.ProcessEnv): string | undefined {
  const { keyVariable, baseUrlVariable } = providerTable[provider];
  if (env[keyVariable]?.trim()) return keyVariable;
  const isWithheld = withheldKey(provider, config, env) !== undefined;
  const note = isWithheld ? `, not sent to ${baseUrlVariable}` : "";
  const configured = config.providers?.[provider]?.apiKey?.trim();
  if (configured && (isWithheld || accessTo(provider, config, env).apiKey === configured))
    return `the configuration${note}`;
  const place = config.storedKeys?.placeOf(provider);
  return place === undefined ? undefined : `${keyPlace(place, env)}${note}`;
}

/** What a place of stored keys is called. */
export function keyPlace(place: "file" | "keyring", env: NodeJS.ProcessEnv): string {
  if (place === "keyring") return `the ${keyringName()}`;
  const places = findPlaces(env);
  return shortPath(join(places.home, "credentials.json"), places, env);
}
