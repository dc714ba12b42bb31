// The models that servers have listed, kept for completion and for lists that must not wait for a server.

import { join } from "node:path";
import type { Config } from "@ikigai/agent/internal";
import { listingServer } from "@ikigai/models";
import { parseObject, readRegularFile, writePrivateFile } from "@ikigai/system";

/** Limit of the models that are remembered of a server, and of those of a provider that are shown. */
export const maxModels = 500;

/** Limit of the servers whose models are remembered. */
const maxServers = 10;

/** What a provider or Ollama is reached by. */
interface Reach {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
}

function fileIn(home: string): string {
  return join(home, "cache", "models.json");
}

/** The names by provider and server, the server that was asked last first. */
function readLists(home: string): ReadonlyMap<string, readonly string[]> {
  try {
    const found = parseObject(readRegularFile(fileIn(home)).toString()) ?? {};
    const lists = Object.entries(found).map(([key, names]) => [key, Array.isArray(names) ? names : []] as const);
    return new Map(lists.map(([key, names]) => [key, names.filter((name) => typeof name === "string")]));
  } catch {
    return new Map();
  }
}

/** Another server of the same provider has other models. */
function keyOf(provider: string, { config, env }: Reach): string {
  return `${provider} ${listingServer(provider, config, env)}`;
}

/** The models that the servers listed last; empty if they were never asked. */
export function rememberedModels(home: string): string[] {
  return [...readLists(home).values()].flat().slice(0, maxModels);
}

/** The models that the server of a provider listed last. */
export function rememberedModelsOf(provider: string, home: string, reach: Reach): readonly string[] {
  return readLists(home).get(keyOf(provider, reach)) ?? [];
}

/**
 * Remembers the models, each as `provider/model`, for completion, which cannot wait for a server, and for a server that does not
 * answer. Write errors are ignored.
 */
export function rememberModels(home: string, names: readonly string[], reach: Reach): void {
  if (names.length === 0) return;
  const lists = new Map<string, string[]>();
  for (const name of names) {
    const key = keyOf(name.slice(0, name.indexOf("/")), reach);
    lists.set(key, [...(lists.get(key) ?? []), name]);
  }
  for (const [key, others] of readLists(home)) if (!lists.has(key)) lists.set(key, [...others]);
  const kept = [...lists].slice(0, maxServers).map(([key, all]) => [key, all.slice(0, maxModels)] as const);
  try {
    writePrivateFile(fileIn(home), JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // Completion works without them.
  }
}
