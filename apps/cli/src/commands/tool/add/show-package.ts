// Shows what a package would add before the user decides.

import { join } from "node:path";
import { isatty } from "node:tty";
import type { Places } from "@ikigai/agent/internal";
import type { Registry } from "@ikigai/core";
import { describeNeeds } from "@ikigai/core/trust";
import { type JsonObject, type ToolSchema, toolNameOf } from "@ikigai/protocol";
import {
  ansiStyle,
  cutToWidth,
  diffLines,
  headAndTail,
  plainStyle,
  type Style,
  sanitiseLine,
  sanitiseStrictly,
  terminalKind,
} from "@ikigai/screen";
import type { InstalledPackage, PackageOffer, ToolRoot, ToolsOffer } from "@ikigai/tool-packages";
import { canAsk } from "../../../host/terminal/ask-person.ts";
import { printOut } from "../../../host/terminal/stdout.ts";
import { shortPath } from "../../../render/short-forms.ts";
import type { CommandContext } from "../../command.ts";
import { broughtBy, renderOfferedParts, usedInstead } from "./brought.ts";

type Differences = PackageOffer["differences"];
type FileDifferences = Differences["files"];
type StagedTool = PackageOffer["tools"][number];
type OfferedTool = ToolsOffer["tools"][number];

/** For whom a package is shown, and why. */
export interface ShowContext extends CommandContext {
  readonly root: ToolRoot;
  /** The user confirmed with --yes. */
  readonly isAllowed: boolean;
  /** Only show the changes. */
  readonly isDryRun: boolean;
}

/** Shows the fetched package and what it would change, before any of it runs. */
export async function showStaged(
  { staged, tools, folder, entry, before, differences }: PackageOffer,
  { root, places, env, isAllowed, isDryRun }: ShowContext,
): Promise<void> {
  const shownFolder = isAllowed || isDryRun || !canAsk() ? undefined : folder;
  const brought = staged.bringsMore ? await broughtBy(join(folder, staged.packageDir)) : [];
  const instead = root.scope === "user" ? await usedInstead(brought, places) : new Map();
  const parts = renderOfferedParts(brought, instead, places);
  printOut(`${renderStaged(staged, tools, { root, places, style: styleOf(env), folder: shownFolder, parts })}\n`);
  if (before) printOut(`${renderUpdate(before, entry, differences)}\n`);
}

/** Shows the tools' schemas. */
export function showOffered({ tools, before, registry }: ToolsOffer, { root, places, env }: ShowContext): void {
  const style = styleOf(env);
  for (const tool of tools) printOut(`${renderOffer(tool, { root, places, style })}\n`);
  if (!before) return;
  const changes = tools.flatMap((tool) => {
    return renderSchemaChange(tool, oldSchema(tool, registry, root), !Object.hasOwn(before.tools, tool.fileName));
  });
  if (changes.length > 0) printOut(`${changes.join("\n")}\n\n`);
}

/** What the tools need and did not need before. */
export function newNeeds({ tools, registry }: ToolsOffer, { root, places }: ShowContext): readonly string[] {
  const linesOf = (schema: ToolSchema | undefined) => describeNeeds(schema?.ikigai?.needs ?? {}, places);
  const wanted = tools.flatMap((tool) => {
    const known = linesOf(oldSchema(tool, registry, root));
    return linesOf(tool.schema).filter((line) => !known.includes(line));
  });
  return [...new Set(wanted)];
}

function oldSchema({ fileName }: StagedTool, registry: Registry, root: ToolRoot) {
  return registry.tools.find(({ path }) => path === join(root.tools, fileName))?.schema;
}

function styleOf(env: NodeJS.ProcessEnv): Style {
  return terminalKind(env, { isTerminal: isatty(1) }).hasEscapes ? ansiStyle : plainStyle;
}

/** Limit of the file names that are listed; the user can look into the folder. */
const maxNames = 20;

/** The last line of a list of files that is not complete. */
function moreFiles(leftOut: number): string {
  return `… ${leftOut} more ${leftOut === 1 ? "file" : "files"}`;
}

/** The fetched package, and what it would replace: everything that is known before any of it runs. */
export function renderStaged(
  { name, version, sha256, facts, files, isSingleFile, dependencies, passesCheck }: PackageOffer["staged"],
  tools: readonly StagedTool[],
  { root, places, style, folder, parts }: StagedPlace,
): string {
  const origin = facts.resolved ?? (facts.commit && `commit ${facts.commit}`);
  const others = dependencies === 0 ? "" : `, ${dependencies} ${dependencies === 1 ? "dependency" : "dependencies"}`;
  const where = root.scope === "project" ? "in this project" : "in every project";
  return lines([
    sanitiseLine(`${name} ${version}`.trim()),
    ...(origin === undefined ? [] : [`  from    ${sanitiseLine(origin)}`]),
    `  sha256  ${sha256}`,
    ...(passesCheck === undefined ? [] : [`  ${checkWords(passesCheck)}`]),
    `  ${files.length} ${files.length === 1 ? "file" : "files"}${others}`,
    // The line of its tool names a single file.
    ...(isSingleFile ? [] : headAndTail(files, { head: maxNames, tail: 0, gap: moreFiles })).map(
      (path) => `    ${sanitiseLine(path)}`,
    ),
    ...tools.flatMap((tool) => [
      `  tool    ${style.bold(tool.name)}  ${shortPath(`${root.tools}/${tool.fileName}`, places)}, ${root.scope}: ${where}`,
      ...consequences(tool, places).map((line) => `  ${style.yellow(line)}`),
    ]),
    ...parts,
    "Nothing in it has run yet.",
    ...(folder === undefined ? [] : [`Inspect the files before you answer: ${sanitiseLine(folder)}`]),
  ]);
}

interface StagedPlace {
  readonly root: ToolRoot;
  readonly places: Places;
  readonly style: Style;
  /** Where the user can inspect the files before answering; absent without a question. */
  readonly folder: string | undefined;
  /** The lines about what it brings besides tools. */
  readonly parts: readonly string[];
}

/** What a package records of `tool check`. */
export function checkWords(passesCheck: boolean): string {
  return `${passesCheck ? "passes" : "fails"} tool check, its author says`;
}

/** A tool's description of itself: its schema and annotations. */
export function renderOffer(
  { name, schema, warnings }: OfferedTool,
  { root, places, style }: Pick<StagedPlace, "root" | "places" | "style">,
): string {
  return lines([
    style.bold(name),
    `  ${sanitiseStrictly(schema.description).replaceAll("\n", "\n  ")}`,
    ...renderParameters(schema.parameters).map((line) => `  ${line}`),
    ...describeNeeds(schema.ikigai?.needs ?? {}, places).map(
      (need) => `  Needs in the sandbox: ${style.yellow(`it ${need}`)}`,
    ),
    ...wishes(schema, root).map((line) => `  ${line}`),
    ...warnings.map((warning) => `  ${sanitiseStrictly(warning)}`),
  ]);
}

function renderParameters(parameters: JsonObject): string[] {
  const { properties = {}, required = [] } = parameters as {
    properties?: Record<string, { type?: unknown; description?: unknown }>;
    required?: readonly string[];
  };
  const entries = Object.entries(properties);
  if (entries.length === 0) return ["It takes no arguments."];
  return entries.map(([key, value]) => {
    const { type = "any", description = "" } = value ?? {};
    const kind = [type].flat().join(" or ");
    const text = `${key} (${kind}${required.includes(key) ? "" : ", optional"})  ${String(description)}`;
    return sanitiseStrictly(text.replaceAll("\n", " ")).trimEnd();
  });
}

function wishes({ ikigai = {}, annotations = {} }: ToolSchema, { scope }: ToolRoot): string[] {
  const { timeoutMs, prestart, serves, service, agent, catalog, host } = ikigai;
  const hints = Object.entries(annotations).map(([hint, value]) => `${hint}: ${value}`);
  return [
    ...(timeoutMs === undefined ? [] : [`Time limit per call: ${timeoutMs / 1_000} s`]),
    ...(prestart === true ? ["Pre-started: may start before it is called."] : []),
    ...(serves === true && service === undefined ? ["Served: one process may answer several calls."] : []),
    ...(agent === true && scope !== "project"
      ? ["Starts agents: tasks of their own, with at most the rights of the conversation."]
      : []),
    ...(catalog === true && scope !== "project" ? ["Gets the list of your tools and skills, and loads them."] : []),
    ...(host === undefined ? [] : [`Requests from ikigai in a call: ${sanitiseStrictly(host.join(", "))}`]),
    ...(service === undefined
      ? []
      : [`Service ${sanitiseStrictly(service)}: one process answers the calls of a conversation and keeps its state.`]),
    ...(hints.length > 0 ? [`Declares: ${sanitiseStrictly(hints.join(", "))}`] : []),
  ];
}

function consequences({ name, overrides, overriddenBy }: StagedTool, places: Places): string[] {
  const [nearest] = overrides;
  const isCore = overrides.some(({ scope }) => scope === "system");
  return [
    ...(isCore ? [`IT REPLACES THE CORE TOOL ${name}: every call of ${name} goes to it, with its arguments.`] : []),
    ...(nearest ? [`It overrides ${shortPath(nearest.path, places)} (${nearest.scope}).`] : []),
    ...(overriddenBy
      ? [`Not used here: ${shortPath(overriddenBy.path, places)} (${overriddenBy.scope}) overrides it.`]
      : []),
  ];
}

/** Lines with their line breaks. */
function lines(all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}

/** Limits of the files and lines that an update shows; the user can compare the folders in full. */
const maxFileRows = 40;
const maxDiffLines = 120;

/** Limit of a line of a difference, in columns: a line of a bundle can have thousands. */
const maxDiffColumns = 300;

/** Whether an update only brings back what the installed package had. */
export function isRestoration(
  before: InstalledPackage,
  after: InstalledPackage,
  { files, lostTools }: Differences,
): boolean {
  return before.sha256 === after.sha256 && files.length + lostTools.length > 0;
}

/** The changes of an update: source, version, hash, files and removed tools. Of the same package: what it restores. */
export function renderUpdate(before: InstalledPackage, after: InstalledPackage, differences: Differences): string {
  if (isRestoration(before, after, differences)) return renderRestored(before, after, differences);
  const { files } = differences;
  const version =
    before.version === after.version ? [] : [`  version ${before.version || "-"} → ${after.version || "-"}`];
  const gone = Object.keys(before.tools).filter((fileName) => !Object.hasOwn(after.tools, fileName));
  return lines([
    "Changes:",
    ...sourceRows(before, after),
    ...version.map(sanitiseLine),
    `  sha256  ${before.sha256 === after.sha256 ? "unchanged" : `${before.sha256} → ${after.sha256}`}`,
    ...renderFiles(named(files, after)),
    ...gone.map((fileName) => sanitiseLine(`${toolNameOf(fileName)} is removed.`)),
  ]);
}

function sourceRows(before: InstalledPackage, after: InstalledPackage): readonly string[] {
  return before.source === after.source ? [] : [`  source  ${sanitiseLine(`${before.source} → ${after.source}`)}`];
}

/** What restoring a package does: local changes are lost, missing files come back. */
function renderRestored(before: InstalledPackage, after: InstalledPackage, { files, lostTools }: Differences): string {
  const changed = named(files, after).filter(({ kind }) => kind !== "added");
  const missing = named(files, after).filter(({ kind }) => kind === "added");
  const source = sourceRows(before, after);
  const names = missing.map(({ path }) => `  ${sanitiseLine(path)}`);
  return lines([
    ...(source.length === 0 ? ["The source is unchanged."] : ["Changes:", ...source]),
    ...(changed.length === 0 ? [] : ["Your local changes will be lost:", ...renderFiles(changed)]),
    ...(missing.length === 0 ? [] : ["These files are missing and will be restored:"]),
    ...headAndTail(names, { head: maxNames, tail: 0, gap: (leftOut) => `  ${moreFiles(leftOut)}` }),
    ...(missing.length === 0 ? lostTools.map((name) => sanitiseLine(`The tool ${name} will be restored.`)) : []),
  ]);
}

/** The differences with a name for the only file of a package. */
function named(files: FileDifferences, { tools }: InstalledPackage): FileDifferences {
  const [onlyFile = ""] = Object.keys(tools);
  return files.map((file) => (file.path === "" ? { ...file, path: onlyFile } : file));
}

function renderFiles(files: FileDifferences): string[] {
  let left = maxDiffLines;
  const rows = files.slice(0, maxFileRows).flatMap(({ path, kind, lines: texts }) => {
    const changed = texts ? diffLines(texts.before, texts.after).filter(({ sign }) => sign !== " ") : [];
    const shown = changed.slice(0, left);
    left -= shown.length;
    const rest = changed.length - shown.length;
    return [
      `  ${kind.padEnd(7)} ${sanitiseLine(path)}`.trimEnd(),
      ...shown.map(
        ({ sign, text }) => `    ${cutToWidth(sanitiseStrictly(`${sign} ${text}`), maxDiffColumns, " … (cut)")}`,
      ),
      ...(rest > 0 ? [`    … ${rest} more ${rest === 1 ? "line" : "lines"}`] : []),
    ];
  });
  const others = files.length - maxFileRows;
  return [...rows, ...(others > 0 ? [`  ${moreFiles(others)}`] : [])];
}

/** The changes of a tool's schema; nothing about one that was added before, but could not be loaded. */
export function renderSchemaChange(
  { name, schema: now }: OfferedTool,
  old: ToolSchema | undefined,
  isNew: boolean,
): string[] {
  if (!old) return isNew ? [`${name} is new.`] : [];
  const [before, after] = [old, now].map((schema) => JSON.stringify(schema, null, 2).split("\n"));
  const changed = diffLines(before ?? [], after ?? []).filter(({ sign }) => sign !== " ");
  if (changed.length === 0) return [`The schema of ${name} is unchanged.`];
  return [`The schema of ${name} changed:`, ...changed.map(({ sign, text }) => sanitiseStrictly(`  ${sign} ${text}`))];
}
