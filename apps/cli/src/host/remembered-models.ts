import { join } from "node:path";
import { readRegularFile, writePrivateFile } from "@ikigai/system";

/** Limit of the models that are remembered, and of those of a provider that are shown. */
export const maxModels = 500;

function fileIn(home: string): string {
  return join(home, "cache", "models.json");
}

/** The models that the providers listed last; empty if they were never asked. */
export function rememberedModels(home: string): string[] {
  try {
    const found: unknown = JSON.parse(readRegularFile(fileIn(home)).toString());
    return Array.isArray(found) ? found.filter((name) => typeof name === "string").slice(0, maxModels) : [];
  } catch {
    return [];
  }
}

/** Remembers the models for completion, which cannot wait for a server. Write errors are ignored. */
export function rememberModels(home: string, names: readonly string[]): void {
  if (names.length === 0) return;
  try {
    writePrivateFile(fileIn(home), JSON.stringify(names.slice(0, maxModels)));
  } catch {
    // Completion works without them.
  }
}
