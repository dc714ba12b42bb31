// `ikigai tool add` and `ikigai tool update`: what they show, and what they ask.

import { isAbsolute } from "node:path";
import { loadConfig, toolSetup } from "@ikigai/agent/internal";
import { toolNameOf } from "@ikigai/protocol";
import { sanitiseLine } from "@ikigai/screen";
import { shellWord } from "@ikigai/system";
import {
  addPackage,
  type InstallEnd,
  type InstalledPackage,
  type PackageDialog,
  type PackageOffer,
  packageUpdates,
  ToolRoot,
} from "@ikigai/tool-packages";
import { commands } from "../../../args/commands.ts";
import { readOperands, readOptions } from "../../../args/read-options.ts";
import { openCommandTools } from "../../../host/conversation/command-tools.ts";
import { canAsk, confirm, nobodyToAsk } from "../../../host/terminal/ask-person.ts";
import { exitCodes } from "../../../host/terminal/exit.ts";
import { printError, printOut } from "../../../host/terminal/stdout.ts";
import { shortPath } from "../../../render/short-forms.ts";
import { type Command, type CommandContext, withRefusals } from "../../command.ts";
import { broughtBy, namesOfBrought } from "./brought.ts";
import { isRestoration, newNeeds, type ShowContext, showOffered, showStaged } from "./show-package.ts";

/** Installs third-party tools: fetches them, shows them, then asks. */
export const toolAdd: Command = {
  run(args, context) {
    const { flags, values, operands } = readOptions(args, commands["tool add"].options);
    const [source = ""] = readOperands(operands, commands["tool add"]);
    return withRefusals(async () => {
      const request = requestFor(flags, context);
      const end = await addPackage({ ...request, source, as: values.name?.[0] });
      if (end.end === "unasked") throw nobodyToAsk();
      return report(end, request);
    });
  },
};

/** Fetches installed packages from their sources again, and shows the differences before it replaces them. */
export const toolUpdate: Command = {
  async run(args, context) {
    const { flags, operands } = readOptions(args, commands["tool update"].options);
    const [wanted] = readOperands(operands, commands["tool update"]);
    let isUnasked = false;
    let worst: number = exitCodes.done;
    const ended = await withRefusals(async () => {
      const request = requestFor(flags, context);
      const updates = await packageUpdates(wanted, request);
      if (updates.length === 0)
        printError(`No tools have been added to ${shortPath(request.root.path, context.places)}.\n`);
      for (const update of updates) {
        const code = await withRefusals(async () => {
          const end = await update();
          isUnasked ||= end.end === "unasked";
          return report(end, request);
        });
        worst = Math.max(worst, code);
      }
      return exitCodes.done;
    });
    if (isUnasked) throw nobodyToAsk();
    return Math.max(worst, ended);
  },
};

function requestFor(flags: ReadonlySet<string>, context: CommandContext) {
  const root = ToolRoot.of(context.places, { isProject: flags.has("project") });
  const { registries = {} } = loadConfig(context.places.home).config;
  const show = { ...context, registries, root, isAllowed: flags.has("yes"), isDryRun: flags.has("dry-run") };
  return { ...show, dialog: dialogFor(show) };
}

/** What the user sees while a package is added, and is asked. */
function dialogFor(context: ShowContext): PackageDialog {
  const { places, env, isAllowed, isDryRun } = context;
  return {
    async knownTools() {
      const { rules } = toolSetup({ places, env });
      const registry = await openCommandTools(places, env, rules).last();
      return { registry, sandboxFor: (tool) => rules.settingsFor(tool).sandbox };
    },
    onFetch: (source) => printError(`Fetching ${sanitiseLine(source)} …\n`),
    onState(name, state) {
      const what = state === "changed" ? "has changed since it was added" : "is incomplete";
      printError(`${sanitiseLine(name)} ${what}.\n`);
    },
    async offerPackage(offer) {
      await showStaged(offer, context);
      if (isDryRun) return "shown";
      if (isAllowed) return "agreed";
      if (!canAsk()) return "unasked";
      return (await confirm(question(offer, context.root))) ? "agreed" : "declined";
    },
    async offerTools(offer) {
      showOffered(offer, context);
      const needs = newNeeds(offer, context);
      if (isAllowed || needs.length === 0) return "agreed";
      return (await confirm(`Agree to what it needs: it ${needs.join("; ")}?`)) ? "agreed" : "declined";
    },
  };
}

function question(offer: PackageOffer, root: ToolRoot): string {
  const core = offer.tools.filter(({ overrides }) => overrides.some(({ scope }) => scope === "system"));
  const place = core.length === 0 ? "" : ` in place of the core tool ${core.map(({ name }) => name).join(", ")}`;
  if (!offer.before) return `Add it${place}? ${warning(offer, root)}`;
  return `${isRestoration(offer.before, offer.entry, offer.differences) ? "Restore" : "Replace"} it${place}?`;
}

function warning({ tools, staged: { bringsMore } }: PackageOffer, { scope }: ToolRoot): string {
  if (!bringsMore) return "It runs with your privileges.";
  const programs = tools.length === 0 ? "Hooks run" : "Tools and hooks run";
  return `${programs} with your privileges${scope === "user" ? ", hooks outside the sandbox" : ""}; the model follows skills, commands and agents.`;
}

/** Says what became of a package; returns the exit code. */
async function report(end: InstallEnd, { root }: ShowContext): Promise<number> {
  if (end.end === "declined") {
    printError("Nothing was changed.\n");
    return exitCodes.failed;
  }
  if (end.end === "up to date") {
    const { name, entry } = end;
    printOut(`${sanitiseLine(`${`${name} ${entry.version}`.trim()} is up to date${pin(name, entry, root)}`)}\n`);
  }
  if (end.end === "installed") await reportInstalled(end, root);
  return exitCodes.done;
}

async function reportInstalled(
  { offer, trust }: Extract<InstallEnd, { end: "installed" }>,
  root: ToolRoot,
): Promise<void> {
  const { name, entry, before, differences } = offer;
  const contents = root.contentsOf(entry);
  const brought = contents === undefined ? [] : await broughtBy(contents);
  const names = [...Object.keys(entry.tools).map(toolNameOf), namesOfBrought(brought)].filter((one) => one !== "");
  const isOther = before !== undefined && before.version !== entry.version;
  const versions = isOther ? `${before.version || "-"} → ${entry.version || "-"}` : entry.version;
  const done = before === undefined ? "Added" : isRestoration(before, entry, differences) ? "Restored" : "Replaced";
  printOut(`${done} ${sanitiseLine(`${name} ${versions}`.trim())}: ${names.join(", ")}\n`);
  if (root.scope === "project" && isAbsolute(entry.source))
    printError(`Only this machine can update it: its source ${sanitiseLine(entry.source)} is outside the project.\n`);
  if (trust?.problem !== undefined) printError(`Not in use: it cannot be trusted. ${sanitiseLine(trust.problem)}\n`);
  else if (trust !== undefined && trust.status !== "trusted")
    printError(`Not in use yet: the project has other files that you have not trusted. See: ikigai trust --show\n`);
}

/** What keeps a package at its version, and how to get another one. */
function pin(name: string, { source, version, commit, as }: InstalledPackage, { scope }: ToolRoot): string {
  const options = `${as === undefined ? "" : ` --name ${as}`}${scope === "project" ? " --project" : ""}`;
  if (source === `${name}@${version}`)
    return `, pinned to this version. For another one: ikigai tool add ${name}@VERSION${options}`;
  const [url = "", ref] = source.split(/#(.*)/s);
  if (commit === undefined || !ref) return ".";
  return ` with ${ref}, which it was added with. For another tag, branch or commit: ikigai tool add ${shellWord(url)}#REF${options}`;
}
