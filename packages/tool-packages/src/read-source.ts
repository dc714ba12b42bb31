// The source of a package as the user writes it: npm, git, or a path.

import { existsSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { fromUserHome, isDirectory, withoutPassword } from "@ikigai/system";
import { Refusal } from "./refusal.ts";
import type { InstalledPackage } from "./tool-root.ts";

/** The user's registries by name: a git repository or a folder with several packages, or the beginning of names in npm's registry. */
export type Registries = Readonly<Record<string, string>>;

/** A package of a registry. */
export interface RegistryPackage {
  readonly registry: string;
  readonly name: string;
}

/** The source of a tool; `member` is how it was named, if that was by a registry. */
export type Source =
  | { readonly kind: "npm"; readonly spec: string; readonly member?: RegistryPackage }
  | { readonly kind: "git"; readonly url: string; readonly ref?: string; readonly member?: RegistryPackage }
  | { readonly kind: "folder"; readonly path: string; readonly member?: RegistryPackage }
  | { readonly kind: "file"; readonly path: string };

/** A registry package as npm accepts it: a name, optionally with a version, a range or a tag. */
export const npmSpec = /^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(@[^@/\s]+)?$/i;

/** The name of an archive that npm can install. */
export const isTarball = /\.(tgz|tar\.gz)$/;

const gitUrl = /^github:|^(git\+)?(git|ssh|file|https?):\/\/[^-]|^[\w.-]+@[\w.-]+:[^-]/;
const pathStart = /^(\.\.?(\/|$)|\/|~\/)/;

/** `team:words`, and what may follow: `#v1` or `@1.2.0`. */
const registryForm = /^([a-z][a-z0-9-]*):([A-Za-z0-9][\w.-]*)([#@].+)?$/;

/**
 * Parses a source.
 *
 * @param from the directory for relative paths.
 * @throws Refusal if it is invalid or ambiguous.
 */
export function readSource(text: string, from: string, registries: Registries): Source {
  if (text.startsWith("-") || text === "") throw unknownSource(text);
  const [, registry = "", name = "", rest = ""] = registryForm.exec(text) ?? [];
  if (Object.hasOwn(registries, registry)) return readMember({ registry, name }, rest, registries);
  if (isTarball.test(text)) return { kind: "npm", spec: /^https?:/.test(text) ? text : existing(text, from) };
  if (gitUrl.test(text)) return readGit(text);
  if (text.startsWith("npm:")) return readNpm(text.slice("npm:".length));
  if (pathStart.test(text)) return readPath(text, from);
  if (!existsSync(resolve(from, text))) return registry === "" ? readNpm(text) : unknownRegistry(registry, registries);
  if (!npmSpec.test(text)) return readPath(text, from);
  throw new Refusal(`${JSON.stringify(text)} may be a path or an npm package. Write ./${text} or npm:${text}.`);
}

/**
 * Returns where a registry of the user is.
 *
 * @throws Refusal if it has no form of one, or its folder does not exist.
 */
export function readRegistry(name: string, registries: Registries): Exclude<Source, { kind: "file" }> {
  const { [name]: place = "" } = registries;
  const advice = `To change it: ikigai config set registries.${name} SOURCE`;
  if (/^npm:./.test(place)) return { kind: "npm", spec: place.slice("npm:".length) };
  if (gitUrl.test(place)) return readGit(place);
  const path = fromUserHome(place);
  if (isAbsolute(path) && isDirectory(path)) return { kind: "folder", path };
  if (isAbsolute(path)) throw new Refusal(`The folder ${place} of the registry ${name} does not exist. ${advice}`);
  throw new Refusal(
    `Expected a git repository, an absolute path of a folder, or npm:@SCOPE/ for the registry ${name}, got ${JSON.stringify(withoutPassword(place))}. ${advice}`,
  );
}

function readMember(member: RegistryPackage, rest: string, registries: Registries): Source {
  const source = readRegistry(member.registry, registries);
  if (source.kind === "npm") return { ...readNpm(`${source.spec}${member.name}${rest}`), member };
  if (rest === "") return { ...source, member };
  if (source.kind === "git" && rest.startsWith("#")) return { ...source, ...readGit(`${source.url}${rest}`), member };
  throw new Refusal(
    `The registry ${member.registry} is a ${source.kind === "git" ? "git repository: a tag, a branch or a commit follows #" : "folder, which has one version"}. Try: ikigai tool add ${member.registry}:${member.name}`,
  );
}

function unknownRegistry(registry: string, registries: Registries): never {
  const names = Object.keys(registries);
  const known = names.length === 0 ? "" : ` Those that are: ${names.join(", ")}.`;
  throw new Refusal(
    `No registry ${registry} is set.${known} To set it to a git repository, a folder or npm:@SCOPE/: ikigai config set registries.${registry} SOURCE`,
  );
}

function readGit(text: string): Extract<Source, { kind: "git" }> {
  const [given = "", ref] = text.split(/#(.*)/s);
  const url = given.replace(/^git\+/, "").replace(/^github:/, "https://github.com/");
  if (url.startsWith("-") || ref?.startsWith("-")) throw unknownSource(text);
  return { kind: "git", url, ...(ref && { ref }) };
}

function readNpm(text: string): Extract<Source, { kind: "npm" }> {
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
    `Expected an npm package (@acme/weather-tool@1.2.0), a git repository (github:acme/weather-tool, or its URL, https://….git#v1), a package of a registry (team:weather), a folder or a file (./weather-tool), got ${JSON.stringify(text)}.`,
  );
}

/** The source of exactly the added version or commit. */
export function exactSource(name: string, { source, version, commit, resolved = "" }: InstalledPackage): string {
  if (commit !== undefined) return `${source.replace(/#.*$/s, "")}#${commit}`;
  // A package from an archive may not be in the registry.
  return /^https?:.*\/-\//.test(resolved) ? `npm:${name}@${version}` : source;
}
