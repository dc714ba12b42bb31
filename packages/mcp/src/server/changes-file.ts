import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "@ikigai/system";
import { compareTools, isUnchanged, type ToolChanges } from "../definitions/compare-tools.ts";
import type { ListedTool } from "../definitions/listed-tool.ts";
import { isWanted } from "../definitions/name-filter.ts";
import type { ServerFile, ToolsFile } from "./server-file.ts";
import { changesFileName } from "./server-label.ts";

const failureFileName = "failed";

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

/** Records that the server of one conversation could not be started: what is known about it may no longer be true. */
export function recordFailure(dataDir: string): void {
  writePrivateFile(join(dataDir, failureFileName), "");
}

/** Whether a server is another than it was when its tools were listed, as far as its calls have shown. */
export function hasChanged(dataDir: string): boolean {
  return [changesFileName, failureFileName].some((name) => existsSync(join(dataDir, name)));
}

/** Records how a server's tools differ from the added tools, for the next message; or that they do not. */
export function recordChanges(dataDir: string, changes: ToolChanges): void {
  if (isUnchanged(changes)) rmSync(join(dataDir, changesFileName), { force: true });
  else writePrivateFile(join(dataDir, changesFileName), `${JSON.stringify(changes)}\n`);
}
