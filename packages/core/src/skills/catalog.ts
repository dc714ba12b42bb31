// The list of tools and skills for tools that declare `catalog`: a file that the host writes once per content, with one entry a
// line.

import { createHash } from "node:crypto";
import { readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type CatalogEntry, isJsonObject } from "@ikigai/protocol";
import { makePrivateDirectory, writePrivateFile } from "@ikigai/system";
import { workingDirectory } from "../process/tool-command.ts";
import type { RegisteredTool, Registry } from "../registry/registry.ts";

/** A list of tools and skills that can be loaded, in a file. */
export interface Catalog {
  /** A file with one `CatalogEntry` per line. Other contents have other names. */
  readonly path: string;
  /** The directories of the skills, which their tool reads. */
  readonly directories: readonly string[];
}

/** How long a file is kept that no call uses, in milliseconds: a conversation may use it again the next day. */
const keptMs = 2 * 24 * 60 * 60 * 1_000;

const texts = new WeakMap<Registry, { readonly name: string; readonly text: string }>();

/**
 * Writes the list of a registry's tools and skills, unless it is there. Only the user can read it.
 *
 * @param home the user's directory; without one, there is no place for the list.
 * @returns `undefined` if it cannot be written: the tool then reports that it has none.
 */
export function catalogOf(registry: Registry, home: string | undefined): Catalog | undefined {
  if (home === undefined) return undefined;
  const { name, text } = textOf(registry);
  const directory = catalogDirectory(home);
  const path = join(directory, name);
  const catalog = { path, directories: registry.skills.map((skill) => dirname(skill.path)) };
  try {
    const now = new Date();
    utimesSync(path, now, now);
    return catalog;
  } catch {
    // Not there yet.
  }
  try {
    makePrivateDirectory(directory);
    writePrivateFile(path, text);
    removeOld(directory);
    return catalog;
  } catch {
    return undefined;
  }
}

/** Returns the list for a call of this tool; `undefined` for a tool that gets none. */
export function catalogFor(
  tool: RegisteredTool,
  { catalog }: { readonly catalog?: (() => Catalog | undefined) | undefined },
): Catalog | undefined {
  return takesCatalog(tool) ? catalog?.() : undefined;
}

/** Whether a tool gets the list, and may introduce other tools: it declares `catalog`, is not a project's, and runs here. */
export function takesCatalog({ scope, launcher, schema }: RegisteredTool): boolean {
  return scope !== "project" && !launcher && schema.ikigai?.catalog === true;
}

function catalogDirectory(home: string): string {
  return join(resolve(workingDirectory(), home), "cache", "catalogs");
}

function textOf(registry: Registry) {
  const known = texts.get(registry);
  if (known) return known;
  const text = [
    ...registry.skills.map(skillEntry),
    ...registry.tools.filter((tool) => !takesCatalog(tool)).map(toolEntry),
  ]
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join("");
  const made = { name: `${createHash("sha256").update(text).digest("hex").slice(0, 32)}.jsonl`, text };
  texts.set(registry, made);
  return made;
}

function skillEntry({ name, description, path, sha256, introduces }: Registry["skills"][number]): CatalogEntry {
  return {
    kind: "skill",
    name,
    description,
    path,
    ...(sha256 !== undefined && { sha256 }),
    ...(introduces.length > 0 && { introduces }),
  };
}

function toolEntry({ name, schema: { description, parameters } }: RegisteredTool): CatalogEntry {
  const { properties } = parameters;
  return { kind: "tool", name, description, parameters: isJsonObject(properties) ? Object.keys(properties) : [] };
}

function removeOld(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    try {
      if (statSync(path).mtimeMs < Date.now() - keptMs) rmSync(path, { force: true });
    } catch {
      // Another ikigai has just removed it, or it is no file of ours.
    }
  }
}
