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
import { version } from "../../host/version.ts";
import { bridgePath } from "./inspect-server.ts";
import { bytesOf } from "./render-server.ts";

/** As many as in the names of other packages' folders. */
const folderDigits = 12;

/**
 * Writes the package of a server into an empty stage. A wrapper names the folder that it will be in, so that folder is named after
 * what the wrappers are made of.
 *
 * @returns its entry in the record.
 */
export function writeServerPackage(
  server: ServerFile,
  { tools, leftOut }: Definitions,
  { content }: Stage,
  root: ToolRoot,
): InstalledPackage {
  const { name } = server;
  const texts = {
    "package.json": toText({ name: packageName(name), version: server.serverInfo?.version ?? "", private: true }),
    [serverFileName]: toText(server),
    [toolsFileName]: toText({
      tools: tools.map(({ name: tool, isResource, listed }) => ({ tool, isResource, definition: listed })),
      bytes: bytesOf(tools),
      leftOut: Object.fromEntries(leftOut.map((one) => [one.name, one.reason])),
    }),
  };
  const node = process.execPath;
  const made = JSON.stringify([texts, tools.map(({ line }) => line), node, bridgePath, version]);
  const folder = createHash("sha256").update(made).digest("hex").slice(0, folderDigits);
  const directory = `${packageName(name)}/${folder}`;
  for (const [file, text] of Object.entries(texts)) writeFileSync(join(content, file), text);
  const places = { node, bridge: bridgePath, packageDir: join(root.packages, directory) };
  const files = tools.map(({ name: tool, line }) => {
    const fileName = wrapperFileName(tool);
    const path = join(content, fileName);
    writeFileSync(path, wrapperText({ line, name: tool, server: name, version }, places), { mode: 0o755 });
    return [fileName, { path: fileName, sha256: hashFile(path) }] as const;
  });
  return {
    source: serverSource(name),
    version: server.serverInfo?.version ?? "",
    sha256: hashTree(content).sha256,
    directory,
    tools: Object.fromEntries(files),
  };
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
