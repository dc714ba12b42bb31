import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { toolSuffix } from "@ikigai/protocol";
import { commands } from "../command-line/commands.ts";
import { confirm } from "../confirm.ts";
import { exitCodes } from "../exit-codes.ts";
import { findInstalled, isCalled } from "../install/find-installed.ts";
import { mustBeAbleToAsk } from "../install/install-package.ts";
import type { InstalledPackage } from "../install/install-record.ts";
import { installedState } from "../install/installed-state.ts";
import { toolNameOf } from "../install/package-tools.ts";
import { Refusal } from "../install/refusal.ts";
import { refusalsPrinted } from "../install/refusals-printed.ts";
import { takeAway } from "../install/take-away.ts";
import { toolFiles, toolsCalled } from "../install/tool-files.ts";
import { type ToolRoot, toolRoot } from "../install/tool-root.ts";
import { trustOwn } from "../install/trust-own.ts";
import { printError, printOut } from "../print-out.ts";
import { readOptions } from "../read-options.ts";
import { sanitiseLine } from "../screen/sanitise.ts";
import { shortPath } from "../screen/short-path.ts";
import type { Command, CommandContext } from "./command.ts";
import { readOperands } from "./read-operands.ts";

const syntax = commands["tool remove"];

/** Removes what `tool add` has added; asks before it removes anything else. */
export const toolRemove: Command = {
  run(args, context) {
    const { flags, operands } = readOptions(args, syntax.options);
    const [wanted = ""] = readOperands(operands, syntax);
    const isAllowed = flags.has("yes");
    return refusalsPrinted(async () => {
      const root = toolRoot(context.places, { isProject: flags.has("project") });
      const found = findInstalled(wanted, root);
      if (found) return removePackage(...found, { ...context, root, isAllowed });
      return removeFile(wanted, { ...context, root, isAllowed });
    });
  },
};

interface Removal extends CommandContext {
  readonly root: ToolRoot;
  readonly isAllowed: boolean;
}

async function removePackage(name: string, entry: InstalledPackage, removal: Removal): Promise<number> {
  const { root, places } = removal;
  const names = Object.keys(entry.tools).map(toolNameOf).join(", ");
  if (installedState(entry, root) === "changed") {
    mustBeAbleToAsk(removal);
    printError(`${sanitiseLine(name)} has been changed since it was added; the changes would be lost.\n`);
    if (!removal.isAllowed && !(await confirm(`Remove ${names}?`))) return declined();
  }
  await takeAway(name, entry, root);
  await trustOwn(root, places, { name, entries: [entry, undefined] });
  printOut(`Removed ${sanitiseLine(`${name} ${entry.version}`.trim())}: ${names}\n`);
  return exitCodes.done;
}

/** A file that the user, or somebody in the project, has put there by hand. */
async function removeFile(wanted: string, removal: Removal): Promise<number> {
  const { root, places } = removal;
  const fileName = toolFiles(root.tools).find((file) => isCalled(file, wanted));
  if (fileName === undefined) throw new Refusal(notThere(wanted, removal));
  const path = join(root.tools, fileName);
  mustBeAbleToAsk(removal);
  const shown = shortPath(path, places);
  printError(`${shown} was not added by ikigai: it is gone for good.\n`);
  if (!removal.isAllowed && !(await confirm("Remove it?"))) return declined();
  const entry = { source: "", version: "", sha256: "", tools: { [fileName]: { path: fileName, sha256: "" } } };
  rmSync(path);
  await trustOwn(root, places, { name: fileName, entries: [entry, undefined] });
  printOut(`Removed ${shown}\n`);
  const folder = path.slice(0, -toolSuffix.length);
  if (existsSync(folder)) printError(`What belongs to it is still there: ${shortPath(folder, places)}\n`);
  return exitCodes.done;
}

function notThere(wanted: string, { places, root }: Removal): string {
  const [elsewhere] = toolsCalled(wanted, places.directories);
  const expected = `Expected a tool in ${root.tools}, got ${JSON.stringify(wanted)}`;
  if (elsewhere === undefined) return `${expected}, which is not there. See: ikigai tool list`;
  if (elsewhere.scope === "system") return `${expected}, which comes with ikigai and is not removed.`;
  const flag = elsewhere.scope === "project" ? " --project" : "";
  return `${expected}, which is ${elsewhere.path}. Try: ikigai tool remove ${wanted}${flag}`;
}

function declined(): number {
  printError("Nothing was removed.\n");
  return exitCodes.failed;
}
