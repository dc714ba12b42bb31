import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { readRegularFile } from "@ikigai/system";
import { type DependencyLock, isLock } from "./dependency-lock.ts";
import { Refusal } from "./refusal.ts";
import type { ToolRoot } from "./tool-root.ts";

/** What was added, and from where: an entry of `tools.json`. */
export interface InstalledPackage {
  /** As the user gave it. */
  readonly source: string;
  /** What its only tool is called instead of its own name. */
  readonly as?: string;
  /** The version, or the beginning of the commit; empty when it has neither. */
  readonly version: string;
  /** Of the file, or of the package's folder as a whole. */
  readonly sha256: string;
  /** What npm took it from, and the hash that the registry gives of it. */
  readonly resolved?: string;
  readonly integrity?: string;
  /** The whole id of git's commit. */
  readonly commit?: string;
  /** What it depends on, unless it says so itself by a lock of its own. */
  readonly lock?: DependencyLock;
  /** Below `packages/`, what the tools are links into; missing when the tool is one file, which is in `tools/` itself. */
  readonly directory?: string;
  /** By the file's name in `tools/`. */
  readonly tools: Readonly<Record<string, { readonly path: string; readonly sha256: string }>>;
}

/** All packages by their names. */
export type InstallRecord = ReadonlyMap<string, InstalledPackage>;

/**
 * What was added to a place; empty when nothing was.
 *
 * @throws Refusal when the file is damaged or cannot be read: nothing is then known of what is there.
 */
export function readRecord({ recordFile }: ToolRoot): InstallRecord {
  let text: string;
  try {
    text = readRegularFile(recordFile).toString();
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    // A home that is a file, or none at all, has nothing in it.
    if (code === "ENOENT" || code === "ENOTDIR") return new Map();
    throw new Refusal(`Cannot read ${recordFile}, the record of added tools: ${message}.`);
  }
  const packages = parse(text);
  if (packages === undefined)
    throw new Refusal(
      `${recordFile}, the record of added tools, is damaged. Fix it, or move it away: ikigai then treats added tools as your own files.`,
    );
  return packages;
}

/** Replaces the record, all or nothing. */
export function writeRecord({ recordFile, fileMode, directoryMode }: ToolRoot, record: InstallRecord): void {
  const sorted = [...record].sort(([a], [b]) => (a < b ? -1 : 1));
  const text = `${JSON.stringify({ version: 1, packages: Object.fromEntries(sorted) }, undefined, 2)}\n`;
  const temporary = `${recordFile}.${process.pid}`;
  mkdirSync(dirname(recordFile), { recursive: true, mode: directoryMode });
  try {
    writeFileSync(temporary, text, { mode: fileMode });
    renameSync(temporary, recordFile);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function parse(text: string): InstallRecord | undefined {
  try {
    const { version, packages } = JSON.parse(text);
    const entries = Object.entries<unknown>(packages);
    return version === 1 && entries.every(isEntry) ? new Map(entries as [string, InstalledPackage][]) : undefined;
  } catch {
    return undefined;
  }
}

/** A project's record was written by somebody: names become paths, so they may be nothing but names. */
function isEntry([name, value]: [string, unknown]): boolean {
  const entry = value as InstalledPackage;
  const texts = [name, entry.source, entry.version, entry.sha256];
  return (
    texts.every((text) => typeof text === "string") &&
    (entry.directory === undefined || /^(@[\w.~-]+\/)?[\w~-][\w.~-]*\/[0-9a-f]{12}$/i.test(entry.directory)) &&
    (entry.lock === undefined || isLock(entry.lock)) &&
    Object.entries(entry.tools).every(([fileName, tool]) => {
      return /^[A-Za-z][\w-]*-tool$/.test(fileName) && typeof tool.path === "string" && typeof tool.sha256 === "string";
    })
  );
}
