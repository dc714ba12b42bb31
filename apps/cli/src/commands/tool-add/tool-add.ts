import { isAbsolute, join, relative } from "node:path";
import { type Places, toolSetup } from "@ikigai/agent/internal";
import { agreeToNeeds } from "@ikigai/core/internal";
import { sanitiseLine } from "@ikigai/screen";
import { withoutPassword } from "@ikigai/system";
import {
  type DependencyLock,
  entryFor,
  fetchPackage,
  install,
  offeredTools,
  Refusal,
  readRecord,
  readSource,
  refuseConflicts,
  type Source,
  type StagedTool,
  serverOf,
  stagedTools,
  toolNameOf,
  toolRoot,
  trustInstalled,
  withStage,
} from "@ikigai/tool-packages";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { canAsk, confirm, nobodyToAsk } from "../../host/confirm.ts";
import { exitCodes } from "../../host/exit.ts";
import { openToolbox } from "../../host/open-toolbox.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { type Command, withRefusals } from "../command.ts";
import { type Candidate, type InstallRequest, newNeeds, showOffered, showStaged } from "./show-package.ts";

const syntax = commands["tool add"];

/** Installs third-party tools: fetches them, shows them, then asks. */
export const toolAdd: Command = {
  run(args, context) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const [source = ""] = readOperands(operands, syntax);
    return withRefusals(async () => {
      const root = toolRoot(context.places, { isProject: flags.has("project") });
      const as = values.name?.[0];
      const isAllowed = flags.has("yes");
      const isDryRun = flags.has("dry-run");
      const end = await installPackage({ ...context, source, as, root, isAllowed, isDryRun });
      if (end === "unasked") throw nobodyToAsk();
      return end === "declined" ? exitCodes.failed : exitCodes.done;
    });
  },
};

/** The outcome. `shown`: a dry run, nothing was installed. `unasked`: no terminal to confirm on. */
export type InstallEnd = "installed" | "declined" | "up to date" | "shown" | "unasked";

/**
 * Fetches a package, shows it and what it would change, asks, shows its schemas, and installs it. Nothing in it runs before the
 * user approves; a failure changes nothing.
 *
 * @throws Refusal if it cannot be fetched, has no tools, or conflicts with another package.
 */
export async function installPackage(request: InstallRequest): Promise<InstallEnd> {
  const { root, places, env, as } = request;
  const source = readSource(request.repairs ?? request.source, places.projectDir);
  printError(`Fetching ${sanitiseLine(withoutPassword(request.source))} …\n`);
  return withStage(places.home, async (stage) => {
    const lock = knownLock(source, request);
    const staged = await fetchPackage(source, stage, { env, wantedName: as, lock });
    const recorded = request.repairs === undefined ? recordedSource(source, request, places) : request.source;
    const entry = entryFor(staged, { source: recorded, ...(as !== undefined && { as }) }, stage);
    const name = request.updates ?? staged.name;
    if (name !== staged.name)
      throw new Refusal(
        `${withoutPassword(request.source)} contains ${staged.name} now, not ${name}. Remove ${name} and add it again.`,
      );
    const before = readRecord(root).get(name);
    const server = before && serverOf(before);
    if (server !== undefined)
      throw new Refusal(`${name} is the package of an MCP server. Remove that first: ikigai mcp remove ${server}`);
    refuseConflicts(name, entry, root);
    if (request.updates !== undefined && request.repairs === undefined && before?.sha256 === entry.sha256)
      return "up to date";
    return offer(name, { source, staged, stage, entry, before }, request);
  });
}

/** Shows, asks, and installs. */
async function offer(name: string, candidate: Candidate, request: InstallRequest): Promise<InstallEnd> {
  const { root, places, env, isAllowed } = request;
  const { source, staged, stage, entry, before } = candidate;
  const { rules } = toolSetup({ places, env });
  const registry = await openToolbox(places, env, rules).last();
  const sandboxFor = (tool: string) => rules.settingsFor(tool).sandbox;
  const context = { source, stage, root, directories: places.directories, sandboxFor, registry, env };
  const known = stagedTools(staged, context);
  const restores = showStaged(candidate, known, request);
  if (request.isDryRun) return "shown";
  if (!isAllowed && !canAsk()) return "unasked";
  if (!isAllowed && !(await confirm(question(known, before && (restores ? "Restore" : "Replace"))))) return decline();
  const tools = await offeredTools(staged, context);
  showOffered(tools, candidate, registry, request);
  const needs = newNeeds(tools, registry, request);
  if (!isAllowed && needs.length > 0 && !(await confirm(`Agree to what it needs: it ${needs.join("; ")}?`)))
    return decline();
  await install(name, entry, stage, root);
  const { home } = request.places;
  await agreeToNeeds(
    home,
    tools.map(({ fileName, schema }) => ({ path: join(root.tools, fileName), schema })),
  );
  await report(name, { entry, before, restores }, request);
  return "installed";
}

function decline(): "declined" {
  printError("Nothing was changed.\n");
  return "declined";
}

function question(tools: readonly StagedTool[], change: "Restore" | "Replace" | undefined): string {
  const core = tools.filter(({ overrides }) => overrides.some(({ scope }) => scope === "system"));
  const place = core.length === 0 ? "" : ` in place of the core tool ${core.map(({ name }) => name).join(", ")}`;
  return change ? `${change} it${place}?` : `Add it${place}? It runs with your privileges.`;
}

/** The recorded versions of a package's dependencies, so that an update changes only the package itself. */
function knownLock(source: Source, { updates, root }: InstallRequest): DependencyLock | undefined {
  const name = updates ?? (source.kind === "npm" ? source.spec.replace(/(?<=.)@[^@/]*$/, "") : undefined);
  return name === undefined ? undefined : readRecord(root).get(name)?.lock;
}

/** The source to record: a path relative to the project if it is inside, otherwise absolute. */
function recordedSource(source: Source, { source: text, root }: InstallRequest, { projectDir }: Places): string {
  const path = "path" in source ? source.path : "spec" in source && isAbsolute(source.spec) ? source.spec : undefined;
  if (path === undefined) return withoutPassword(text);
  const inside = relative(projectDir, path);
  return root.scope === "project" && !inside.startsWith("..") ? `./${inside}` : path;
}

async function report(
  name: string,
  { entry, before, restores }: Pick<Candidate, "entry" | "before"> & { readonly restores: boolean },
  { root, places }: InstallRequest,
): Promise<void> {
  const trust = await trustInstalled(root, places, { name, entries: [before, entry] });
  const names = Object.keys(entry.tools).map(toolNameOf).join(", ");
  const isOther = before !== undefined && before.version !== entry.version;
  const versions = isOther ? `${before.version || "-"} → ${entry.version || "-"}` : entry.version;
  const done = before === undefined ? "Added" : restores ? "Restored" : "Replaced";
  printOut(`${done} ${sanitiseLine(`${name} ${versions}`.trim())}: ${names}\n`);
  if (root.scope === "project" && isAbsolute(entry.source))
    printError(`Only this machine can update it: its source ${sanitiseLine(entry.source)} is outside the project.\n`);
  if (trust?.problem !== undefined) printError(`Not in use: it cannot be trusted. ${sanitiseLine(trust.problem)}\n`);
  else if (trust !== undefined && trust.status !== "trusted")
    printError(`Not in use yet: the project has other files that you have not trusted. See: ikigai trust --show\n`);
}
