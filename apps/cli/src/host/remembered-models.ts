import { join } from "node:path";
import { readRegularFile, writePrivateFile } from "@ikigai/system";

/** More than any provider lists. */
const maxModels = 500;

function fileIn(home: string): string {
  return join(home, "cache", "models.json");
}

/** The models that the providers listed when they were last asked; none if they never were. */
export function rememberedModels(home: string): string[] {
  try {
    const found: unknown = JSON.parse(readRegularFile(fileIn(home)).toString());
    return Array.isArray(found) ? found.filter((name) => typeof name === "string").slice(0, maxModels) : [];
  } catch {
    return [];
  }
}

/** Keeps them for where nobody can wait for a server. What cannot be written is done without. */
export function rememberModels(home: string, names: readonly string[]): void {
  if (names.length === 0) return;
  try {
    writePrivateFile(fileIn(home), JSON.stringify(names));
  } catch {
    // Said above.
  }
}
