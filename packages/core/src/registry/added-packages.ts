// The packages that `ikigai tool add` has put below the user's directory and that bring more than tools. Discovery of skills, hooks,
// commands and agents also looks into them: their folders have the same forms as those in the user's directory. They count as long as every
// file of the package is the one that the user agreed to.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";
import { hashTree, isInside, parseObject, readRegularFile } from "@ikigai/system";
import { firstChange, type Stamps, stampAt } from "./stamps.ts";

/** What a package may bring besides tools: the names of folders in it. */
export const broughtFolders = ["hooks", "skills", "commands", "agents"] as const;

/** A package with more than tools. */
export interface AddedPackage {
  readonly name: string;
  readonly version: string;
  readonly source: string;
  /** The folder with its `skills/`, `hooks/`, `commands/` and `agents/`. */
  readonly folder: string;
  /** Why nothing in it is used: the end of a sentence. */
  readonly problem?: string;
}

interface Reading {
  readonly packages: readonly AddedPackage[];
  readonly seen: Stamps;
}

const readings = new Map<string, Reading>();

/**
 * Returns the packages of a user that bring more than tools, by name. Reads their files again only if one has changed. Never throws: a
 * damaged record has none, and `tool list` reports it.
 */
export function addedPackages(home: string): readonly AddedPackage[] {
  return readingOf(home).packages;
}

/** Returns the files that `addedPackages` depends on, as they are. */
export function seenPackages(home: string): Stamps {
  return readingOf(home).seen;
}

/** Returns the directories of one kind in the packages that are unchanged, by the packages' names. */
export function broughtDirectories(home: string, kind: (typeof broughtFolders)[number]): readonly string[] {
  return addedPackages(home).flatMap(({ folder, problem }) => (problem === undefined ? [join(folder, kind)] : []));
}

function readingOf(home: string): Reading {
  const last = readings.get(home);
  if (last && firstChange(last.seen) === undefined) return last;
  const record = join(home, "tools.json");
  const seen = new Map([[record, stampAt(record)]]);
  const entries = seen.get(record) === "missing" ? [] : Object.entries(packagesIn(record));
  const packages = entries.flatMap(([name, entry]) => packageOf(name, entry, join(home, "packages"), seen));
  const reading = { packages, seen };
  readings.set(home, reading);
  return reading;
}

function packagesIn(record: string): JsonObject {
  try {
    const { packages } = parseObject(readRegularFile(record).toString("utf8")) ?? {};
    return isJsonObject(packages) ? packages : {};
  } catch {
    return {};
  }
}

function packageOf(name: string, entry: JsonValue, packages: string, seen: Map<string, string>): AddedPackage[] {
  if (!isJsonObject(entry)) return [];
  const { directory, folder, sha256, version = "", source = "" } = entry;
  const areTexts = typeof version === "string" && typeof source === "string";
  if (typeof directory !== "string" || typeof folder !== "string" || !areTexts) return [];
  const root = join(packages, directory);
  const whole = join(root, folder);
  if (!isInside(whole, packages)) return [];
  const isSame = hashOf(root, seen) === sha256;
  const problem = `the package ${name} has changed since you added it. To restore it: ikigai tool update ${name}`;
  return [{ name, version, source, folder: whole, ...(isSame ? {} : { problem }) }];
}

/** Hashes a package, after the state of its files has been noted. */
function hashOf(root: string, seen: Map<string, string>): string | undefined {
  try {
    seen.set(root, stampAt(root));
    for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      seen.set(path, stampAt(path));
    }
    return hashTree(root).sha256;
  } catch {
    return undefined;
  }
}
