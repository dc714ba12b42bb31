import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { trustStatus } from "@ikigai/core";
import { sanitiseLine } from "@ikigai/screen";
import { nearestWord, shellWord } from "@ikigai/system";
import {
  exactSource,
  findInstalled,
  type InstalledPackage,
  installedNames,
  installedState,
  Refusal,
  readRecord,
  serverOf,
  type ToolRoot,
  toolRoot,
} from "@ikigai/tool-packages";
import { commands } from "../args/commands.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import { nobodyToAsk } from "../host/confirm.ts";
import { exitCodes } from "../host/exit.ts";
import { printError, printOut } from "../host/stdout.ts";
import { shortPath } from "../render/short-forms.ts";
import { type Command, type CommandContext, withRefusals } from "./command.ts";
import { type InstallEnd, installPackage } from "./tool-add/tool-add.ts";

const syntax = commands["tool update"];

/** Fetches installed packages from their sources again, and shows the differences before it replaces them. */
export const toolUpdate: Command = {
  async run(args, context) {
    const { flags, operands } = readOptions(args, syntax.options);
    const [wanted] = readOperands(operands, syntax);
    const [isAllowed, isDryRun] = [flags.has("yes"), flags.has("dry-run")];
    const ends: InstallEnd[] = [];
    let worst: number = exitCodes.done;
    const ended = await withRefusals(async () => {
      const root = toolRoot(context.places, { isProject: flags.has("project") });
      await refuseUntrusted(root, context);
      const chosen = choose(wanted, root);
      if (chosen.length === 0) printError(`No tools have been added to ${shortPath(root.path, context.places)}.\n`);
      for (const [name, entry] of chosen) {
        const code = await withRefusals(async () => {
          const end = await updateOne(name, entry, { ...context, root, isAllowed, isDryRun });
          ends.push(end);
          return end === "declined" ? exitCodes.failed : exitCodes.done;
        });
        worst = Math.max(worst, code);
      }
      return exitCodes.done;
    });
    if (ends.includes("unasked")) throw nobodyToAsk();
    return Math.max(worst, ended);
  },
};

/** A project's record says where to fetch from, so it must be trusted. */
async function refuseUntrusted({ scope, path }: ToolRoot, { places }: CommandContext): Promise<void> {
  if (scope === "user") return;
  const { status } = await trustStatus(places);
  if (status === "untrusted" || status === "changed")
    throw new Refusal(
      `You have not trusted ${path}, whose tools.json names what to fetch. To see the files and trust them: ikigai trust`,
    );
}

function choose(wanted: string | undefined, root: ToolRoot): [string, InstalledPackage][] {
  if (wanted === undefined) return [...readRecord(root)].filter(([, entry]) => serverOf(entry) === undefined);
  const found = findInstalled(wanted, root);
  const server = found && serverOf(found[1]);
  if (server !== undefined)
    throw new Refusal(`${found?.[0]} is the package of an MCP server. To update it: ikigai mcp update ${server}`);
  if (found) return [found];
  const nearest = nearestWord(wanted, installedNames(root));
  const advice = nearest === undefined ? "See: ikigai tool list" : `Did you mean ${nearest}?`;
  throw new Refusal(`No tool or package ${JSON.stringify(wanted)} was added to ${root.path}. ${advice}`);
}

interface Update extends CommandContext {
  readonly root: ToolRoot;
  readonly isAllowed: boolean;
  readonly isDryRun: boolean;
}

function flagOf({ scope }: ToolRoot): string {
  return scope === "project" ? " --project" : "";
}

/** A path in a project's record may be one of another machine. */
function refuseMissing(name: string, { source }: InstalledPackage, { root, places }: Update): void {
  const isPath = isAbsolute(source) || source.startsWith("./");
  if (!isPath || existsSync(resolve(places.projectDir, source))) return;
  const flag = flagOf(root);
  throw new Refusal(
    `${name} was added from ${source}, which does not exist here. To update it, remove it and add it from where it is now: ` +
      `ikigai tool remove ${name}${flag} && ikigai tool add PATH${flag}`,
  );
}

async function updateOne(name: string, entry: InstalledPackage, update: Update): Promise<InstallEnd> {
  const state = installedState(entry, update.root);
  if (state !== "same")
    printError(`${sanitiseLine(name)} ${state === "changed" ? "has changed since it was added" : "is incomplete"}.\n`);
  const { source, as, version } = entry;
  refuseMissing(name, entry, update);
  const repairs = state === "same" ? {} : { repairs: exactSource(name, entry) };
  const end = await installPackage({ ...update, ...repairs, source, as, updates: name });
  if (end === "up to date")
    printOut(`${sanitiseLine(`${`${name} ${version}`.trim()} is up to date${pin(name, entry, update)}`)}\n`);
  return end;
}

/** What keeps a package at its version, and how to get another one. */
function pin(name: string, { source, version, commit, as }: InstalledPackage, { root }: Update): string {
  const options = `${as === undefined ? "" : ` --name ${as}`}${flagOf(root)}`;
  if (source === `${name}@${version}`)
    return `, pinned to this version. For another one: ikigai tool add ${name}@VERSION${options}`;
  const [url = "", ref] = source.split(/#(.*)/s);
  if (commit === undefined || !ref) return ".";
  return ` with ${ref}, which it was added with. For another tag, branch or commit: ikigai tool add ${shellWord(url)}#REF${options}`;
}
