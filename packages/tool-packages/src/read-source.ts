import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fromUserHome } from "@ikigai/system";
import { Refusal } from "./refusal.ts";
import type { InstalledPackage } from "./tool-root.ts";

/** The source of a tool. */
export type Source =
  | { readonly kind: "npm"; readonly spec: string }
  | { readonly kind: "git"; readonly url: string; readonly ref?: string }
  | { readonly kind: "folder" | "file"; readonly path: string };

/** A registry package as npm accepts it: a name, optionally with a version, a range or a tag. */
export const npmSpec = /^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(@[^@/\s]+)?$/i;

/** The name of an archive that npm can install. */
export const isTarball = /\.(tgz|tar\.gz)$/;

const gitUrl = /^(git\+)?(git|ssh|file|https?):\/\/[^-]|^[\w.-]+@[\w.-]+:[^-]/;
const pathStart = /^(\.\.?(\/|$)|\/|~\/)/;

/**
 * Parses a source.
 *
 * @param from the directory for relative paths.
 * @throws Refusal if it is invalid or ambiguous.
 */
export function readSource(text: string, from: string): Source {
  if (text.startsWith("-") || text === "") throw unknownSource(text);
  if (text.startsWith("github:")) return readGit(`https://github.com/${text.slice("github:".length)}`);
  if (isTarball.test(text)) return { kind: "npm", spec: /^https?:/.test(text) ? text : existing(text, from) };
  if (gitUrl.test(text)) return readGit(text.replace(/^git\+/, ""));
  if (text.startsWith("npm:")) return readNpm(text.slice("npm:".length));
  if (pathStart.test(text)) return readPath(text, from);
  if (!existsSync(resolve(from, text))) return readNpm(text);
  if (!npmSpec.test(text)) return readPath(text, from);
  throw new Refusal(`${JSON.stringify(text)} may be a path or an npm package. Write ./${text} or npm:${text}.`);
}

function readGit(text: string): Source {
  const [url = "", ref] = text.split(/#(.*)/s);
  if (url.startsWith("-") || ref?.startsWith("-")) throw unknownSource(text);
  return { kind: "git", url, ...(ref && { ref }) };
}

function readNpm(text: string): Source {
  if (npmSpec.test(text)) return { kind: "npm", spec: text };
  throw unknownSource(text);
}

function readPath(text: string, from: string): Source {
  const path = existing(text, from);
  return { kind: statSync(path).isDirectory() ? "folder" : "file", path };
}

function existing(text: string, from: string): string {
  const path = resolve(from, fromUserHome(text));
  if (existsSync(path)) return path;
  throw new Refusal(`No file or folder ${path}.`);
}

function unknownSource(text: string): Refusal {
  return new Refusal(
    `Expected an npm package (@acme/weather-tool@1.2.0), a git repository (github:acme/weather-tool, or its URL, https://….git#v1), a folder or a file (./weather-tool), got ${JSON.stringify(text)}.`,
  );
}

/** The source of exactly the added version or commit. */
export function exactSource(name: string, { source, version, commit, resolved = "" }: InstalledPackage): string {
  if (commit !== undefined) return `${source.replace(/#.*$/s, "")}#${commit}`;
  // A package from an archive may not be in the registry.
  return /^https?:.*\/-\//.test(resolved) ? `npm:${name}@${version}` : source;
}
