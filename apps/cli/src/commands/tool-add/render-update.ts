import type { ToolSchema } from "@ikigai/protocol";
import { type FileDifference, type InstalledPackage, type OfferedTool, toolNameOf } from "@ikigai/tool-packages";
import { cutToWidth, headAndTail } from "../../render/fit-text.ts";
import { diffLines } from "../../render/line-diff.ts";
import { sanitiseLine, sanitiseStrictly } from "../../render/sanitise.ts";
import { lines, maxNames, moreFiles } from "./render-offer.ts";

/** What differs between the installed package and the fetched one. */
export interface Differences {
  readonly files: readonly FileDifference[];
  /** The names of its tools that are missing. */
  readonly lostTools: readonly string[];
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
function named(files: readonly FileDifference[], { tools }: InstalledPackage): readonly FileDifference[] {
  const [onlyFile = ""] = Object.keys(tools);
  return files.map((file) => (file.path === "" ? { ...file, path: onlyFile } : file));
}

function renderFiles(files: readonly FileDifference[]): string[] {
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
