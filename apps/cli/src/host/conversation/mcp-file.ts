// The .mcp.json of a project: the notice that there is one, until the user has decided about it.

import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { isJsonObject } from "@ikigai/protocol";
import { parseObject, readRegularFile, realPathOf, writePrivateFile } from "@ikigai/system";

/** The file with the MCP servers of a project, as other agents read it. ikigai reads it only when the user names it. */
const fileName = ".mcp.json";

/** The state of a file. */
export interface FileState {
  readonly size: number;
  readonly mtimeMs: number;
}

/** The states in which the user has decided about files, by path. */
function decisionsFile(home: string): string {
  return join(home, "mcp-files.json");
}

/**
 * Says that the project has a file with MCP servers, unless the conversation uses it or the user has decided about it in its current
 * state. Looks at the file without reading it. Costs one `stat` where there is no such file.
 *
 * @param used the files of `--mcp`, absolute or relative to the working directory.
 */
export function mcpFileNotice({ home, projectDir }: Places, used: readonly string[] = []): string | undefined {
  const path = join(projectDir, fileName);
  const state = stateOf(path);
  if (state === undefined) return undefined;
  if (used.some((one) => realPathOf(resolve(one)) === realPathOf(path))) return undefined;
  const known = decisionsIn(home)[join(realPathOf(projectDir), fileName)];
  if (isJsonObject(known) && known.size === state.size && known.mtimeMs === state.mtimeMs) return undefined;
  return `${fileName} found, not in use. To use it: ikigai mcp add --from ${fileName}`;
}

/** Stores that the user has decided about a file, if it is one that there is a notice for. If that fails, the notice comes again. */
export function rememberDecision(path: string, { size, mtimeMs }: FileState, home: string): void {
  if (basename(path) !== fileName) return;
  const key = join(realPathOf(dirname(resolve(path))), fileName);
  const decisions = { ...decisionsIn(home), [key]: { size, mtimeMs } };
  try {
    writePrivateFile(decisionsFile(home), `${JSON.stringify(decisions)}\n`);
  } catch {
    // The disk is full, for instance.
  }
}

function decisionsIn(home: string): Readonly<Record<string, unknown>> {
  try {
    return parseObject(readRegularFile(decisionsFile(home)).toString("utf8")) ?? {};
  } catch {
    // Without a file, or with a damaged one, the notice comes once more.
    return {};
  }
}

function stateOf(path: string): FileState | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? stats : undefined;
  } catch {
    return undefined;
  }
}
