import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { forgetNeeds, namedDataDirectory } from "@ikigai/core/internal";
import { toolSuffix } from "@ikigai/protocol";
import { sanitiseLine } from "@ikigai/screen";
import { nearestWord, realPathOf, shellWord, systemReason } from "@ikigai/system";
import {
  findInstalled,
  hereRoot,
  type InstalledPackage,
  installedNames,
  installedState,
  isCalled,
  Refusal,
  readRecord,
  type ToolRoot,
  toolFiles,
  toolNameOf,
  toolRoot,
  toolsCalled,
  trustInstalled,
  uninstall,
} from "@ikigai/tool-packages";
import { commands } from "../args/commands.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import { canAsk, confirm, nobodyToAsk } from "../host/confirm.ts";
import { exitCodes } from "../host/exit.ts";
import { printError, printOut } from "../host/stdout.ts";
import { shortPath } from "../render/short-forms.ts";
import { type Command, type CommandContext, withRefusals } from "./command.ts";

const syntax = commands["tool remove"];

/** Removes what `tool add` installed; asks before it removes anything else. */
export const toolRemove: Command = {
  run(args, context) {
    const { flags, operands } = readOptions(args, syntax.options);
    const [wanted = ""] = readOperands(operands, syntax);
    return withRefusals(async () => {
      const root = toolRoot(context.places, { isProject: flags.has("project") });
      const removal = { ...context, root, isAllowed: flags.has("yes"), isDryRun: flags.has("dry-run") };
      const found = findInstalled(wanted, root);
      return found ? removePackage(...found, removal) : removeFile(wanted, removal);
    });
  },
};

interface Removal extends CommandContext {
  readonly root: ToolRoot;
  readonly isAllowed: boolean;
  readonly isDryRun: boolean;
}

async function removePackage(name: string, entry: InstalledPackage, removal: Removal): Promise<number> {
  const { root } = removal;
  const names = Object.keys(entry.tools).map(toolNameOf).join(", ");
  const isChanged = installedState(entry, root) === "changed";
  // A single file has no folder of its own; its data belongs to the tool.
  const data = dataOf(entry.directory === undefined ? names : name, removal);
  if (isChanged || removal.isDryRun) printOut(`Files to remove:\n${filesOf(entry, removal)}`);
  if (isChanged) printError(`${sanitiseLine(name)} has changed since it was added: the changes would be lost.\n`);
  warnOfData(data, removal);
  if (removal.isDryRun) return exitCodes.done;
  if ((isChanged || data?.isFilled) && !(await isConfirmed(`Remove ${names}?`, removal))) return declined();
  await uninstall(name, entry, root);
  removeData(data, removal);
  await trustRest(name, entry, removal);
  printOut(`Removed ${sanitiseLine(`${name} ${entry.version}`.trim())}: ${names}\n`);
  return exitCodes.done;
}

/** Records that the user has removed files of a project, so that it stays trusted. */
async function trustRest(name: string, entry: InstalledPackage, { root, places }: Removal): Promise<void> {
  await forgetNeeds(
    places.home,
    Object.keys(entry.tools).map((fileName) => join(root.tools, fileName)),
  );
  const trust = await trustInstalled(root, places, { name, entries: [entry, undefined] });
  if (trust?.problem !== undefined) printError(`The project cannot be trusted. ${sanitiseLine(trust.problem)}\n`);
}

/** The files that would be removed, one per line. */
function filesOf({ tools, directory }: InstalledPackage, { root, places }: Removal): string {
  const paths = Object.keys(tools).map((fileName) => join(root.tools, fileName));
  const all = directory === undefined ? paths : [...paths, join(root.packages, directory)];
  return all.map((path) => `  ${sanitiseLine(shortPath(path, places))}\n`).join("");
}

/** @throws UsageError if there is no terminal to ask on. */
async function isConfirmed(question: string, { isAllowed }: Removal): Promise<boolean> {
  if (isAllowed) return true;
  if (!canAsk()) throw nobodyToAsk();
  return confirm(question);
}

/** Removes a file that ikigai did not install. */
async function removeFile(wanted: string, removal: Removal): Promise<number> {
  const { root, places } = removal;
  const fileName = toolFiles(root.tools).find((file) => isCalled(file, wanted));
  if (fileName === undefined) throw new Refusal(notThere(wanted, removal));
  const path = join(root.tools, fileName);
  const shown = shortPath(path, places);
  const name = toolNameOf(fileName);
  const data = isOnlyOne(name, path, removal) ? dataOf(name, removal) : undefined;
  if (removal.isDryRun) printOut(`Files to remove:\n  ${shown}\n`);
  printError(`${shown} was not added by ikigai tool add: once removed, it cannot be restored.\n`);
  warnOfData(data, removal);
  if (removal.isDryRun) return exitCodes.done;
  if (!(await isConfirmed("Remove it?", removal))) return declined();
  const entry = { source: "", version: "", sha256: "", tools: { [fileName]: { path: fileName, sha256: "" } } };
  rmSync(path);
  removeData(data, removal);
  await trustRest(fileName, entry, removal);
  printOut(`Removed ${shown}\n`);
  const folder = path.slice(0, -toolSuffix.length);
  if (existsSync(folder)) printError(`Its folder remains. To remove it: rm -r ${sanitiseLine(shellWord(folder))}\n`);
  return exitCodes.done;
}

/** Whether no other tool and no package has this name, and so the same data directory. */
function isOnlyOne(name: string, path: string, { places, root }: Removal): boolean {
  const others = toolsCalled(name, places.directories).filter(
    (tool) => tool.path !== path && tool.scope === root.scope,
  );
  return others.length === 0 && !readRecord(root).has(name);
}

/** The data directory of a package or tool. */
interface ToolData {
  readonly path: string;
  readonly isFilled: boolean;
}

function dataOf(owner: string, { root, places }: Removal): ToolData | undefined {
  const path = namedDataDirectory(owner, root.scope, places);
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return { path, isFilled: readdirSync(path).length > 0 };
}

function warnOfData(data: ToolData | undefined, { places }: Removal): void {
  if (!data?.isFilled) return;
  const shown = sanitiseLine(shortPath(data.path, places));
  printError(`Its data in ${shown} is removed with it and cannot be restored.\n`);
}

function removeData(data: ToolData | undefined, { places }: Removal): void {
  if (data === undefined) return;
  try {
    rmSync(data.path, { recursive: true, force: true });
  } catch (error) {
    const reason = systemReason(error as NodeJS.ErrnoException);
    printError(`Its data remains: ${sanitiseLine(shortPath(data.path, places))}: ${reason}\n`);
  }
}

function notThere(wanted: string, { places, root }: Removal): string {
  // The nearest one is the one in use.
  const elsewhere = toolsCalled(wanted, places.directories).at(-1);
  const missing = `No tool ${JSON.stringify(wanted)} in ${root.tools}`;
  const folder = elsewhere === undefined ? folderOf(wanted, root) : undefined;
  if (folder !== undefined) return `${missing}, but its folder exists. To remove it: rm -r ${shellWord(folder)}`;
  if (elsewhere === undefined) {
    const nearest = nearestWord(wanted, [...installedNames(root), ...toolFiles(root.tools).map(toolNameOf)]);
    return `${missing}. ${nearest === undefined ? "See: ikigai tool list" : `Did you mean ${nearest}?`}`;
  }
  if (elsewhere.scope === "system") return `${missing}: it ships with ikigai and cannot be removed.`;
  const exists = `${missing}, but ${elsewhere.path} exists`;
  const directory = realPathOf(dirname(elsewhere.path));
  if (directory === realPathOf(join(places.home, "tools"))) return `${exists}. Try: ikigai tool remove ${wanted}`;
  if (directory === realPathOf(join(places.projectDir, ".ikigai", "tools")))
    return `${exists}. Try: ikigai tool remove ${wanted} --project`;
  if (directory === realPathOf(hereRoot(places).tools))
    return `${exists}: it counts only in this directory. See: ikigai mcp list`;
  return `${exists}: it comes from IKIGAI_TOOL_PATH. Delete the file, or remove its directory from the variable.`;
}

/** The folder that `tool new` made for a tool of this name. */
function folderOf(wanted: string, { tools }: ToolRoot): string | undefined {
  const folder = join(tools, wanted.replaceAll("_", "-"));
  const isName = /^[\w-]+$/.test(wanted);
  return isName && lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ? folder : undefined;
}

function declined(): number {
  printError("Nothing was removed.\n");
  return exitCodes.failed;
}
