import { createHash } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Definitions, packageFiles, type ServerFile, wrapperFileName } from "@ikigai/mcp";
import { makePrivateDirectory, privateDirectoryMode, privateFileMode } from "@ikigai/system";
import { bridgePath } from "../bridge-path.ts";
import { version } from "../version.ts";

/**
 * Writes the package of a server at a path where nothing is yet. It appears as a whole, with what its wrappers print for `--schema`.
 *
 * @throws the system's error.
 */
export function writeTools(path: string, server: ServerFile, definitions: Definitions): void {
  const unfinished = join(dirname(path), "unfinished");
  makePrivateDirectory(unfinished);
  const places = { node: process.execPath, bridge: bridgePath, packageDir: path, version };
  const schemas: Record<string, unknown> = {};
  const lines = new Map(definitions.tools.map(({ name, line }) => [wrapperFileName(name), line]));
  for (const { name, text, isExecutable } of packageFiles(server, definitions, places)) {
    writeFileSync(join(unfinished, name), text, { mode: isExecutable ? privateDirectoryMode : privateFileMode });
    const line = lines.get(name);
    if (line !== undefined) schemas[createHash("sha256").update(text).digest("hex")] = JSON.parse(line);
  }
  writeFileSync(join(unfinished, "schemas.json"), JSON.stringify(schemas), { mode: privateFileMode });
  renameSync(unfinished, path);
}
