import { rmSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "@ikigai/system";
import { compareTools, isUnchanged, type ToolChanges } from "../definitions/compare-tools.ts";
import type { ListedTool } from "../definitions/listed-tool.ts";
import { isWanted } from "../definitions/name-filter.ts";
import type { ServerFile, ToolsFile } from "./server-file.ts";
import { changesFileName } from "./server-label.ts";

/** Compares what a server lists now with the added tools; tools that were left out, or not wanted, do not count. */
export function changesSince(
  { filter }: Pick<ServerFile, "filter">,
  { tools, leftOut }: ToolsFile,
  listed: readonly ListedTool[],
): ToolChanges {
  const counts = ({ name }: ListedTool) => isWanted(name, filter) && !Object.hasOwn(leftOut, name);
  const before = tools.filter(({ isResource }) => !isResource).map(({ definition }) => definition);
  return compareTools(before, listed.filter(counts));
}

/** Records how a server's tools differ from the added tools, for the next message; or that they do not. */
export function recordChanges(dataDir: string, changes: ToolChanges): void {
  if (isUnchanged(changes)) rmSync(join(dataDir, changesFileName), { force: true });
  else writePrivateFile(join(dataDir, changesFileName), `${JSON.stringify(changes)}\n`);
}
