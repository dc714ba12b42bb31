import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Definitions,
  packageFiles,
  packageName,
  type ServerFile,
  toolsFileOf,
  wrapperFileName,
} from "@ikigai/mcp";
import {
  hashFile,
  hashTree,
  type InstalledPackage,
  type Stage,
  serverSource,
  type ToolRoot,
} from "@ikigai/tool-packages";
import { bridgePath } from "../../host/bridge-path.ts";
import { version as ownVersion } from "../../host/version.ts";

/** As many as in the names of other packages' folders. */
const folderDigits = 12;

export interface PackagePlace {
  /** Empty, or with the npm package that has the server's program. */
  readonly stage: Stage;
  readonly root: ToolRoot;
  /** The version of the server's program. */
  readonly version: string;
}

/**
 * Writes the package of a server into a stage. A wrapper names the folder that it will be in, so that folder is named after
 * what the package is made of.
 *
 * @returns its entry in the record.
 */
export function writeServerPackage(
  server: ServerFile,
  definitions: Definitions,
  { stage: { content }, root, version }: PackagePlace,
): InstalledPackage {
  const { name, listedAt: _, ...facts } = server;
  const { tools } = definitions;
  const node = process.execPath;
  // Without the time: an update that finds nothing new gives the same folder.
  const made = JSON.stringify([
    ...[hashTree(content).sha256, facts, toolsFileOf(definitions), tools.map(({ line }) => line)],
    ...[node, bridgePath, ownVersion],
  ]);
  const folder = createHash("sha256").update(made).digest("hex").slice(0, folderDigits);
  const directory = `${packageName(name)}/${folder}`;
  const places = { node, bridge: bridgePath, packageDir: join(root.packages, directory), version: ownVersion };
  const manifest = { name: packageName(name), version, private: true };
  writeFileSync(join(content, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o644 });
  for (const { name: file, text, isExecutable } of packageFiles(server, definitions, places))
    writeFileSync(join(content, file), text, { mode: isExecutable ? 0o755 : 0o644 });
  const files = tools.map(({ name: tool }) => {
    const path = wrapperFileName(tool);
    return [path, { path, sha256: hashFile(join(content, path)) }] as const;
  });
  return {
    source: serverSource(name),
    version,
    sha256: hashTree(content).sha256,
    directory,
    tools: Object.fromEntries(files),
  };
}
