import { isAbsolute, join, relative } from "node:path";
import { isatty } from "node:tty";
import { loadConfig } from "@ikigai/agent";
import type { Registry } from "@ikigai/core";
import type { CommandContext } from "../commands/command.ts";
import { confirm } from "../confirm.ts";
import { openToolbox } from "../open-toolbox.ts";
import type { Places } from "../places.ts";
import { printError, printOut } from "../print-out.ts";
import { renderOffer, renderStaged, renderUpdate } from "../screen/render-offer.ts";
import { sanitiseLine } from "../screen/sanitise.ts";
import { ansiStyle, plainStyle } from "../screen/style.ts";
import { terminalKind } from "../screen/terminal-kind.ts";
import { toolRulesOf } from "../tool-rules.ts";
import { UsageError } from "../usage-error.ts";
import type { DependencyLock } from "./dependency-lock.ts";
import { fetchPackage } from "./fetch-package.ts";
import { type InstalledPackage, readRecord } from "./install-record.ts";
import { type OfferedTool, offeredTools } from "./offered-tools.ts";
import { toolNameOf } from "./package-tools.ts";
import { entryFor, putInPlace, refuseConflicts } from "./put-in-place.ts";
import { readSource, type Source } from "./read-source.ts";
import { Refusal } from "./refusal.ts";
import { withStage } from "./stage.ts";
import type { ToolRoot } from "./tool-root.ts";
import { trustOwn } from "./trust-own.ts";
import { withoutPassword } from "./without-password.ts";

/** What is to be installed, for whom. */
export interface InstallRequest extends CommandContext {
  /** As the user wrote it. */
  readonly source: string;
  /** What the only tool is to be called. */
  readonly as?: string | undefined;
  readonly root: ToolRoot;
  /** The user has said yes already. */
  readonly isAllowed: boolean;
  /** Under which name it was added, when it is to be brought up to date. */
  readonly updates?: string;
  /** What is fetched instead of the source, which is still what is written down: what is there has been changed or lost. */
  readonly repairs?: string;
}

/** What became of it. */
export type InstallEnd = "installed" | "declined" | "up to date";

/**
 * Gets a package, shows what it is and what it would change, asks, and puts it in place. Nothing of it is in use before the
 * yes; whatever fails before the end leaves everything as it was.
 *
 * @throws Refusal when it cannot be had, is no package of tools, or is in the way of another one.
 * @throws UsageError when there is nobody to ask.
 */
export async function installPackage(request: InstallRequest): Promise<InstallEnd> {
  const { root, places, env, as } = request;
  mustBeAbleToAsk(request);
  const source = readSource(request.repairs ?? request.source, places.projectDir);
  printError(`Fetching ${sanitiseLine(withoutPassword(request.source))} …\n`);
  return withStage(places.home, async (stage) => {
    const lock = knownLock(source, request);
    const staged = await fetchPackage(source, stage.content, { env, wantedName: as, lock });
    const recorded = request.repairs === undefined ? recordedSource(source, request, places) : request.source;
    const entry = entryFor(staged, { source: recorded, ...(as !== undefined && { as }) }, stage);
    const name = request.updates ?? staged.name;
    if (name !== staged.name)
      throw new Refusal(
        `Expected ${request.source} to be still ${name}, got ${staged.name}. Remove it and add it again.`,
      );
    const before = readRecord(root).get(name);
    refuseConflicts(name, entry, root);
    if (request.updates !== undefined && request.repairs === undefined && before?.sha256 === entry.sha256)
      return "up to date";
    printOut(`${renderStaged(staged)}\n`);
    const rules = toolRulesOf(loadConfig(places.home).config, places, env);
    const registry = await openToolbox(places, env, rules).last();
    const tools = await offeredTools(staged, { stage, root, places, rules, registry, env });
    show(tools, request);
    if (before) printOut(`${renderUpdate(before, entry, schemaChanges(tools, before, registry, root))}\n`);
    if (!request.isAllowed && !(await confirm(question(tools, before)))) {
      printError("Nothing was changed.\n");
      return "declined";
    }
    await putInPlace(name, entry, stage, root);
    await report(name, entry, before, request);
    return "installed";
  });
}

function question(tools: readonly OfferedTool[], before: InstalledPackage | undefined): string {
  if (before) return "Replace it?";
  const core = tools.filter(({ overrides }) => overrides.some(({ scope }) => scope === "system"));
  const place = core.length === 0 ? "" : ` in place of the core tool ${core.map(({ name }) => name).join(", ")}`;
  return `Add it${place}? It runs with your rights.`;
}

/** @throws UsageError when nobody sits there and nothing was said beforehand. */
export function mustBeAbleToAsk({ isAllowed }: { readonly isAllowed: boolean }): void {
  if (isAllowed || (isatty(0) && isatty(2))) return;
  throw new UsageError("Expected --yes, got none, and there is nobody to ask here.");
}

/** What a package depended on when it was added, so that nothing but the package itself changes without need. */
function knownLock(source: Source, { updates, root }: InstallRequest): DependencyLock | undefined {
  const name = updates ?? (source.kind === "npm" ? source.spec.replace(/(?<=.)@[^@/]*$/, "") : undefined);
  return name === undefined ? undefined : readRecord(root).get(name)?.lock;
}

/** A path as it will still be found: from the project if it is in there, else from the root. */
function recordedSource(source: Source, { source: text, root }: InstallRequest, { projectDir }: Places): string {
  const path = "path" in source ? source.path : "spec" in source && isAbsolute(source.spec) ? source.spec : undefined;
  if (path === undefined) return withoutPassword(text);
  const inside = relative(projectDir, path);
  return root.scope === "project" && !inside.startsWith("..") ? `./${inside}` : path;
}

function show(tools: readonly OfferedTool[], { root, places, env }: InstallRequest): void {
  const { hasEscapes } = terminalKind(env, { isTerminal: isatty(1) });
  const style = hasEscapes ? ansiStyle : plainStyle;
  for (const tool of tools) printOut(`${renderOffer(tool, root, places, style)}\n`);
}

function schemaChanges(
  tools: readonly OfferedTool[],
  before: InstalledPackage,
  registry: Registry,
  root: ToolRoot,
): Parameters<typeof renderUpdate>[2] {
  const gone = Object.keys(before.tools).filter((old) => !tools.some(({ fileName }) => fileName === old));
  return [
    ...tools.map(({ name, fileName, schema }) => {
      const old = registry.tools.find(({ path }) => path === join(root.tools, fileName))?.schema;
      return { name, old, now: schema };
    }),
    ...gone.map((fileName) => ({ name: toolNameOf(fileName) })),
  ];
}

async function report(
  name: string,
  entry: InstalledPackage,
  before: InstalledPackage | undefined,
  { root, places }: InstallRequest,
): Promise<void> {
  const trust = await trustOwn(root, places, { name, entries: [before, entry] });
  const names = Object.keys(entry.tools).map(toolNameOf).join(", ");
  printOut(`${before ? "Replaced" : "Added"} ${sanitiseLine(`${name} ${entry.version}`.trim())}: ${names}\n`);
  if (trust?.problem !== undefined) printError(`Not in use: it cannot be trusted. ${sanitiseLine(trust.problem)}\n`);
  else if (trust !== undefined && trust.status !== "trusted")
    printError(
      `Not in use yet: the project has other files that you have not trusted. Look at them: ikigai trust --show\n`,
    );
}
