// The lock file of a package's dependencies: reads and writes it, and checks that all comes from the registry.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { withoutPassword } from "@ikigai/system";
import { Refusal } from "./refusal.ts";

/** npm's `package-lock.json`: the exact version and hash of every dependency of a package. */
export interface DependencyLock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const fileName = "package-lock.json";

/** The lock that npm wrote into a folder. */
export function readLock(folder: string): DependencyLock {
  const { packages = {}, ...rest } = JSON.parse(readFileSync(join(folder, fileName), "utf8")) as DependencyLock;
  return { ...rest, packages: Object.fromEntries(Object.entries(packages).map(withoutPasswords)) };
}

/** Removes passwords: a registry's URL may have one, and the lock is stored. */
function withoutPasswords([place, found]: [string, LockedPackage]): [string, LockedPackage] {
  const { resolved } = found;
  return [place, resolved?.startsWith("http") ? { ...found, resolved: withoutPassword(resolved) } : found];
}

/**
 * The lock inside a package.
 *
 * @throws Refusal if it is not a valid lock, because it then pins no versions.
 */
export function ownLock(folder: string): DependencyLock | undefined {
  // npm's order.
  const name = ["npm-shrinkwrap.json", fileName].find((candidate) => existsSync(join(folder, candidate)));
  if (name === undefined) return undefined;
  try {
    const lock: unknown = JSON.parse(readFileSync(join(folder, name), "utf8"));
    if (isLock(lock)) return lock;
  } catch (error) {
    throw new Refusal(`Cannot read ${name} of the package: ${(error as Error).message}. Report it to the author.`);
  }
  throw new Refusal(
    `${name} of the package has no "packages": it was written by npm 6 or older. Report it to the author.`,
  );
}

/** A lock of an older version has no `packages`. */
export function isLock(value: unknown): value is DependencyLock {
  const { packages } = (value ?? {}) as { packages?: unknown };
  return (
    typeof packages === "object" &&
    packages !== null &&
    Object.values(packages).every((found) => found !== null && typeof found === "object")
  );
}

/** The fields npm needs for a locked package. Without the URL, so that npm asks the user's own registry. */
const keptFields = [
  "name",
  "version",
  "integrity",
  "dev",
  "optional",
  "devOptional",
  "peer",
  "inBundle",
  "dependencies",
  "optionalDependencies",
  "peerDependencies",
  "peerDependenciesMeta",
  "bin",
  "engines",
  "os",
  "cpu",
  "libc",
] as const;

/**
 * Makes npm install the same versions with the same hashes as last time, as far as they still fit, from the user's registry.
 *
 * @throws Refusal if one of them does not come from a registry.
 */
export function writeLock(folder: string, lock: DependencyLock): void {
  refuseOtherSources(lock);
  const { packages } = withoutAddresses(lock);
  const safe = { lockfileVersion: 3, requires: true, packages: { ...packages, "": {} } };
  writeFileSync(join(folder, fileName), `${JSON.stringify(safe, undefined, 2)}\n`);
}

/** The versions and hashes of a lock, which are the same in every registry: the part that the record keeps. */
export function withoutAddresses({ packages }: DependencyLock): DependencyLock {
  const { "": whole, ...others } = packages;
  const all = { ...(whole && { "": { ...whole, dependencies: withoutPlaces(whole.dependencies ?? {}) } }), ...others };
  const kept = Object.entries(all)
    .filter(([place]) => place === "" || place.startsWith("node_modules/"))
    .map(([place, found]) => [
      place,
      Object.fromEntries(keptFields.flatMap((field) => (field in found ? [[field, Reflect.get(found, field)]] : []))),
    ]);
  return { packages: Object.fromEntries(kept) };
}

/** Names an archive without where it is: npm gives its path from the stage, which differs between users and projects. */
export function withoutPlaces(dependencies: Dependencies): Dependencies {
  const entries = Object.entries(dependencies).map(([name, spec]) => {
    return [name, spec.startsWith("file:") ? `file:${basename(spec)}` : spec];
  });
  return Object.fromEntries(entries);
}

/** Removes npm's own files: they vary with npm's cache, and the hash of a package must not. */
export function removeLocks(folder: string): void {
  for (const path of [fileName, join("node_modules", ".package-lock.json")])
    rmSync(join(folder, path), { force: true });
}

/**
 * Checks that everything in a lock comes from the registry.
 *
 * @throws Refusal if something comes from git, a URL or a folder.
 */
export function refuseOtherSources({ packages }: DependencyLock): void {
  for (const [place, found] of Object.entries(packages)) {
    // The package itself is checked by its manifest; other folders are not installed.
    if (!place.startsWith("node_modules/")) continue;
    const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
    if (found.link === true || (found.resolved !== undefined && !/^https?:\/\//.test(found.resolved)))
      throw new Refusal(
        `The dependency ${JSON.stringify(name)} is ${JSON.stringify(withoutPassword(String(found.resolved)))}, not a package of the npm registry. ikigai fetches dependencies from the registry only: ask the author to publish that one, or to bundle it into the tool.`,
      );
    if (found.inBundle === true) continue;
    for (const field of ["dependencies", "optionalDependencies"] as const)
      registryDependencies(Reflect.get(found, field), JSON.stringify(name));
  }
}

/** Removes the top-level packages of these names from a lock, so that npm resolves them again. */
export function withoutPackages({ packages }: DependencyLock, names: readonly string[]): DependencyLock {
  const isWanted = (place: string) => !names.some((name) => place === `node_modules/${name}`);
  return { packages: Object.fromEntries(Object.entries(packages).filter(([place]) => isWanted(place))) };
}

/** Dependencies by name: a version, a range, a tag, or an alias with one of these. */
export type Dependencies = Readonly<Record<string, string>>;

const packageName = /^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i;
/** A version, range or tag, not a path, URL or archive. */
const range = /^(?!\.)(?!.*\.(tgz|tar|tar\.gz)$)[\w.+~^*<>=|\s-]*$/i;
const alias = /^npm:(?<name>(@[^@/]+\/)?[^@/]+)(@(?<range>.*))?$/;

/**
 * Reads one list of dependencies of a manifest or a lock, and checks that each comes from the registry. One from git, a URL or a
 * folder would be fetched by programs and from servers that its author chooses.
 *
 * @throws Refusal if one does not.
 */
export function registryDependencies(value: unknown, owner: string): Dependencies {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value))
    throw new Refusal(`The dependencies of ${owner} are not a JSON object. Report it to the author.`);
  const entries = Object.entries(value);
  for (const [name, spec] of entries) {
    if (packageName.test(name) && typeof spec === "string" && isFromRegistry(spec)) continue;
    throw new Refusal(
      `The dependency ${JSON.stringify(name)} of ${owner} is ${JSON.stringify(spec)}, which is not a version in the npm registry. ikigai fetches dependencies from the registry only: ask its author to publish that one, or to bundle it into the tool.`,
    );
  }
  return Object.fromEntries(entries);
}

function isFromRegistry(spec: string): boolean {
  const groups = alias.exec(spec)?.groups;
  return groups ? packageName.test(groups.name ?? "") && range.test(groups.range ?? "") : range.test(spec);
}
