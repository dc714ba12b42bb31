import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Definitions,
  packageName,
  type ServerFile,
  serverFileName,
  toolsFileName,
  wrapperFileName,
  wrapperText,
} from "@ikigai/mcp";
import {
  hashFile,
  hashTree,
  type InstalledPackage,
  type Stage,
  serverSource,
  type ToolRoot,
} from "@ikigai/tool-packages";
import { version as ownVersion } from "../../host/version.ts";
import { bridgePath } from "./bridge-process.ts";
import { bytesOf } from "./render-server.ts";

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
  { tools, leftOut }: Definitions,
  { stage: { content }, root, version }: PackagePlace,
): InstalledPackage {
  const { name, listedAt, ...facts } = server;
  const listed = {
    tools: tools.map(({ name: tool, isResource, listed: definition }) => ({ tool, isResource, definition })),
    bytes: bytesOf(tools),
    leftOut: Object.fromEntries(leftOut.map((one) => [one.name, one.reason])),
  };
  const node = process.execPath;
  // Without the time: an update that finds nothing new gives the same folder.
  const made = JSON.stringify([
    ...[hashTree(content).sha256, facts, listed, tools.map(({ line }) => line)],
    ...[node, bridgePath, ownVersion],
  ]);
  const folder = createHash("sha256").update(made).digest("hex").slice(0, folderDigits);
  const directory = `${packageName(name)}/${folder}`;
  const texts = {
    "package.json": toText({ name: packageName(name), version, private: true }),
    [serverFileName]: toText({ name, listedAt, ...facts }),
    [toolsFileName]: toText(listed),
  };
  for (const [file, text] of Object.entries(texts)) writeFileSync(join(content, file), text);
  const places = { node, bridge: bridgePath, packageDir: join(root.packages, directory) };
  const files = tools.map(({ name: tool, line }) => {
    const fileName = wrapperFileName(tool);
    const path = join(content, fileName);
    const wrapped = { line, name: tool, server: name, version: ownVersion };
    writeFileSync(path, wrapperText(wrapped, places), { mode: 0o755 });
    return [fileName, { path: fileName, sha256: hashFile(path) }] as const;
  });
  return {
    source: serverSource(name),
    version,
    sha256: hashTree(content).sha256,
    directory,
    tools: Object.fromEntries(files),
  };
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
