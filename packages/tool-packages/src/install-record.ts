import { renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectories, ownerProblem, readRegularFile, temporaryName } from "@ikigai/system";
import { type DependencyLock, isLock } from "./dependency-lock.ts";
import { Refusal } from "./refusal.ts";
import type { ToolRoot } from "./tool-root.ts";

/** An added package and its source: an entry of `tools.json`. */
export interface InstalledPackage {
  /** As the user typed it. */
  readonly source: string;
  /** The name of its only tool, if the user gave one. */
  readonly as?: string;
  /** The version, or the beginning of the commit id; empty if it has neither. */
  readonly version: string;
  /** The hash of the file, or of the package's folder. */
  readonly sha256: string;
  /** The URL that npm fetched, and the registry's hash of it. */
  readonly resolved?: string;
  readonly integrity?: string;
  /** The full id of the git commit. */
  readonly commit?: string;
  /** Its dependencies, unless it has its own lock. */
  readonly lock?: DependencyLock;
  /** The folder below `packages/` that the tools are links into; missing for a single file, which is in `tools/` itself. */
  readonly directory?: string;
  /** By file name in `tools/`. */
  readonly tools: Readonly<Record<string, { readonly path: string; readonly sha256: string }>>;
}

/** The packages by name. */
export type InstallRecord = ReadonlyMap<string, InstalledPackage>;

/**
 * Reads the record of added packages; empty if the file does not exist.
 *
 * @throws Refusal if the file is damaged or unreadable, because it is then unknown which tools were added.
 */
export function readRecord({ recordFile, path, isHere }: ToolRoot): InstallRecord {
  let text: string;
  try {
    text = readRegularFile(recordFile).toString();
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    // The home directory is missing, or is a file.
    if (code === "ENOENT" || code === "ENOTDIR") return new Map();
    const owner = code === "EACCES" ? ownerProblem(recordFile, isHere ? dirname(dirname(path)) : path) : undefined;
    throw new Refusal(`Cannot read ${recordFile}, the record of added tools: ${owner ?? `${message}.`}`);
  }
  const packages = parse(text);
  if (packages === undefined)
    throw new Refusal(
      `${recordFile}, the record of added tools, is damaged. Fix it, or move it away: ikigai then treats added tools as your own files.`,
    );
  return packages;
}

/** Replaces the record atomically. */
export function writeRecord({ recordFile, fileMode, directoryMode }: ToolRoot, record: InstallRecord): void {
  const sorted = [...record].sort(([a], [b]) => (a < b ? -1 : 1));
  const text = `${JSON.stringify({ version: 1, packages: Object.fromEntries(sorted) }, undefined, 2)}\n`;
  const temporary = temporaryName(recordFile);
  makeDirectories(dirname(recordFile), directoryMode);
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

/** Checks the names, which become paths: a project's record may come from anyone. */
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
