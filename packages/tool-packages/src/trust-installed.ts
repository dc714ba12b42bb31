import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TrustReport } from "@ikigai/core";
import { trustFiles } from "@ikigai/core/internal";
import type { InstalledPackage } from "./install-record.ts";
import type { ProjectPlaces, ToolRoot } from "./tool-root.ts";

/**
 * Trusts the files that the user added to a project or removed from it, and no others.
 *
 * @param entries the package before and after; does nothing for a user's own tools, which need no trust.
 * @throws the system's error if the decision cannot be stored.
 */
export async function trustInstalled(
  root: ToolRoot,
  { home, projectDir }: ProjectPlaces,
  { name, entries }: { readonly name: string; readonly entries: readonly (InstalledPackage | undefined)[] },
): Promise<TrustReport | undefined> {
  if (root.scope === "user") return undefined;
  const now = entries.at(-1);
  const tools = entries.flatMap((entry) => Object.keys(entry?.tools ?? {}));
  const files = new Set(["tools.json", ...tools.map((fileName) => `tools/${fileName}`)]);
  const folder = now?.directory === undefined ? undefined : `packages/${now.directory}/`;
  return trustFiles({
    home,
    projectDir,
    isOurs(path) {
      if (files.has(path) || (folder !== undefined && path.startsWith(folder))) return true;
      // Removed files.
      return path.startsWith(`packages/${name}/`) && !existsSync(join(root.path, path));
    },
  });
}
