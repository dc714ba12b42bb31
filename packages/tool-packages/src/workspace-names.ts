import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "./package-tools.ts";
import { Refusal } from "./refusal.ts";

/**
 * Makes sure that no dependency is a workspace of the package. npm would link that folder; asked for the name alone, the
 * registry gives the package of whoever has taken it.
 *
 * @throws Refusal when one is.
 */
export function refuseOwnFolders({ workspaces, dependencies }: Manifest, folder: string): void {
  if (workspaces === undefined) return;
  const wanted = new Set(Object.keys((dependencies ?? {}) as object));
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || entry.name !== "package.json" || entry.parentPath.includes("node_modules")) continue;
    const name = nameIn(join(entry.parentPath, entry.name));
    if (name !== undefined && wanted.has(name))
      throw new Refusal(
        `The dependency ${JSON.stringify(name)} of the package is one of its own folders (a workspace). ikigai fetches dependencies from the registry only: ask the author to publish it, or to bundle it into the tool.`,
      );
  }
}

function nameIn(path: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(path, "utf8")) ?? {};
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}
