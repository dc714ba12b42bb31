// Removes an added package, or a tool that ikigai did not add, with its data.
import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ToolDirectory, TrustReport } from "@ikigai/core";
import { namedDataDirectory } from "@ikigai/core/internal";
import { forgetNeeds } from "@ikigai/core/trust";
import { toolNameOf, toolSuffix } from "@ikigai/protocol";
import { nearestWord, realPathOf, shellWord, systemReason } from "@ikigai/system";
import { trustInstalled, uninstall } from "./install.ts";
import { toolFiles, toolsCalled } from "./installed-tools.ts";
import { Refusal } from "./refusal.ts";
import { type InstalledPackage, isCalled, type ProjectPlaces, ToolRoot } from "./tool-root.ts";

/** What to remove, and where. */
interface RemoveRequest {
  /** The name of a package or tool. */
  readonly wanted: string;
  readonly root: ToolRoot;
  readonly places: ProjectPlaces & { readonly directories: readonly ToolDirectory[] };
  /** Shows what would be removed, and asks. */
  readonly confirm: (removal: Removal) => Promise<boolean>;
}

/** What a removal removes. */
export interface Removal {
  /** The package; `undefined` for a file that ikigai did not add. */
  readonly added: { readonly name: string; readonly version: string; readonly isChanged: boolean } | undefined;
  /** The names of the tools. */
  readonly tools: readonly string[];
  /** The folder with its skills, hooks, commands and agents, if it brings some. */
  readonly contents?: string | undefined;
  readonly paths: readonly string[];
  /** The data directory, if there is one. */
  readonly data: { readonly path: string; readonly isFilled: boolean } | undefined;
}

/** What became of a removal. */
interface Removed extends Removal {
  readonly trust: TrustReport | undefined;
  /** Why the data could not be removed. */
  readonly dataProblem?: string | undefined;
  /** The folder of the tool's sources, which remains. */
  readonly folder?: string | undefined;
}

/**
 * Removes a package or a tool if the user agrees; returns `undefined` if not.
 *
 * @throws Refusal if there is no such package or tool, or the record is damaged; the system's error.
 */
export async function removePackage(request: RemoveRequest): Promise<Removed | undefined> {
  const found = request.root.find(request.wanted);
  return found ? removeAdded(...found, request) : removeFile(request);
}

async function removeAdded(
  name: string,
  entry: InstalledPackage,
  { root, places, confirm }: RemoveRequest,
): Promise<Removed | undefined> {
  const tools = Object.keys(entry.tools).map(toolNameOf);
  const { version, directory } = entry;
  const removal: Removal = {
    added: { name, version, isChanged: root.stateOf(entry) === "changed" },
    tools,
    contents: root.contentsOf(entry),
    paths: [...root.toolPaths(entry), ...(directory === undefined ? [] : [join(root.packages, directory)])],
    // A single file has no folder of its own; its data belongs to the tool.
    data: dataOf(directory === undefined ? tools.join(", ") : name, root, places),
  };
  if (!(await confirm(removal))) return undefined;
  const parts = await uninstall(name, entry, { root, places });
  const dataProblem = removeData(removal);
  const trust = await trustInstalled(root, places, { name, entries: [entry, undefined], parts });
  return { ...removal, trust, dataProblem };
}

/** Removes a file that ikigai did not install. */
async function removeFile({ wanted, root, places, confirm }: RemoveRequest): Promise<Removed | undefined> {
  const fileName = toolFiles(root.tools).find((file) => isCalled(file, wanted));
  if (fileName === undefined) throw new Refusal(notThere(wanted, root, places));
  const path = join(root.tools, fileName);
  const name = toolNameOf(fileName);
  const others = toolsCalled(name, places.directories).filter(
    (tool) => tool.path !== path && tool.scope === root.scope,
  );
  // No other tool and no package has its name, and so its data directory.
  const isOnlyOne = others.length === 0 && !root.record().has(name);
  const data = isOnlyOne ? dataOf(name, root, places) : undefined;
  const removal: Removal = { added: undefined, tools: [name], paths: [path], data };
  if (!(await confirm(removal))) return undefined;
  rmSync(path);
  const dataProblem = removeData(removal);
  await forgetNeeds(places.home, [path]);
  const entry = { source: "", version: "", sha256: "", tools: { [fileName]: { path: fileName, sha256: "" } } };
  const trust = await trustInstalled(root, places, { name: fileName, entries: [entry, undefined] });
  const folder = path.slice(0, -toolSuffix.length);
  return { ...removal, trust, dataProblem, folder: existsSync(folder) ? folder : undefined };
}

function dataOf(owner: string, root: ToolRoot, places: ProjectPlaces): Removal["data"] {
  const path = namedDataDirectory(owner, root.scope, places);
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return { path, isFilled: readdirSync(path).length > 0 };
}

function removeData({ data }: Removal): string | undefined {
  if (data === undefined) return undefined;
  try {
    rmSync(data.path, { recursive: true, force: true });
    return undefined;
  } catch (error) {
    return systemReason(error as NodeJS.ErrnoException);
  }
}

function notThere(wanted: string, root: ToolRoot, places: RemoveRequest["places"]): string {
  // The nearest one is the one in use.
  const elsewhere = toolsCalled(wanted, places.directories).at(-1);
  const missing = `No tool ${JSON.stringify(wanted)} in ${root.tools}`;
  const folder = elsewhere === undefined ? folderOf(wanted, root) : undefined;
  if (folder !== undefined) return `${missing}, but its folder exists. To remove it: rm -r ${shellWord(folder)}`;
  if (elsewhere === undefined) {
    const nearest = nearestWord(wanted, [...root.names(), ...toolFiles(root.tools).map(toolNameOf)]);
    return `${missing}. ${nearest === undefined ? "See: ikigai tool list" : `Did you mean ${nearest}?`}`;
  }
  if (elsewhere.scope === "system") return `${missing}: it ships with ikigai and cannot be removed.`;
  const exists = `${missing}, but ${elsewhere.path} exists`;
  const directory = realPathOf(dirname(elsewhere.path));
  if (directory === realPathOf(join(places.home, "tools"))) return `${exists}. Try: ikigai tool remove ${wanted}`;
  if (directory === realPathOf(join(places.projectDir, ".ikigai", "tools")))
    return `${exists}. Try: ikigai tool remove ${wanted} --project`;
  if (directory === realPathOf(ToolRoot.here(places).tools))
    return `${exists}: it counts only in this directory. See: ikigai mcp list`;
  return `${exists}: it comes from IKIGAI_TOOL_PATH. Delete the file, or remove its directory from the variable.`;
}

/** The folder that `tool new` made for a tool of this name. */
function folderOf(wanted: string, { tools }: ToolRoot): string | undefined {
  const folder = join(tools, wanted.replaceAll("_", "-"));
  const isName = /^[\w-]+$/.test(wanted);
  return isName && lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ? folder : undefined;
}
