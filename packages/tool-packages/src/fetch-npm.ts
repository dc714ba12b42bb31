// Fetches a package or its dependencies with the user's npm, without running anything of them.

import { readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { basename, join, sep } from "node:path";
import {
  type Dependencies,
  type DependencyLock,
  readLock,
  refuseOtherSources,
  registryDependencies,
  removeLocks,
  withoutAddresses,
  withoutPackages,
  withoutPlaces,
  writeLock,
} from "./dependency-lock.ts";
import { type Manifest, readManifest } from "./package-tools.ts";
import { isTarball } from "./read-source.ts";
import { Refusal } from "./refusal.ts";
import type { Fetched, Stage } from "./stage.ts";
import { tameTree } from "./tree.ts";
import { npmEnvironment, runUserProgram, withoutSecretTexts } from "./user-programs.ts";

/**
 * Installs a package and its dependencies into an empty folder with the user's npm, registries and logins, without running
 * any of its scripts.
 *
 * @param lock the dependencies of the last install, kept as far as they fit.
 * @throws Refusal if npm fails, or a dependency does not come from the registry.
 */
export async function fetchNpm(
  spec: string,
  folder: string,
  env: NodeJS.ProcessEnv,
  lock?: DependencyLock,
): Promise<Fetched> {
  // Something else only for a package from an archive, and that is named again.
  const before = registryOnly(lock?.packages[""]?.dependencies);
  writeManifest(folder, { dependencies: before });
  if (lock) writeLock(folder, withoutPackages(lock, Object.keys(before)));
  // Without a version, npm would keep the installed one.
  const wanted = lock && !/.[@/:]/.test(spec.replace(/^@[^/]*\//, "")) ? `${spec}@latest` : spec;
  await npmInstall([wanted], folder, env, spec);
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  writeManifest(folder, { dependencies: withoutPlaces(dependencies) });
  // Two only if the package has been renamed.
  const [known = "", renamed = known] = Object.keys({ ...before, ...dependencies });
  const now = readLock(folder);
  refuseOtherSources(withoutItself(now, renamed));
  removeLocks(folder);
  const packageDir = join("node_modules", renamed);
  const { version = "", resolved, integrity } = now.packages[packageDir] ?? {};
  const others = Object.keys(now.packages).length - 2;
  return {
    name: renamed,
    version,
    packageDir,
    dependencies: others,
    facts: {
      ...(resolved?.startsWith("http") && { resolved }),
      ...(integrity && { integrity }),
      ...(others > 0 && { lock: withoutAddresses(now) }),
    },
  };
}

/** Ignores where the package itself comes from: it may be a local archive, which the user named. */
function withoutItself({ packages }: DependencyLock, name: string): DependencyLock {
  const { resolved: _, ...itself } = packages[`node_modules/${name}`] ?? {};
  return { packages: { ...packages, [`node_modules/${name}`]: itself } };
}

function registryOnly(dependencies: Dependencies = {}): Dependencies {
  try {
    return registryDependencies(dependencies, "the package");
  } catch {
    return {};
  }
}

/**
 * Installs the dependencies of a package into an empty folder, by its own lock file if it has one, otherwise as last time. npm
 * sees only the names and versions of the manifest and the lock, so it reads no configuration of the package.
 *
 * @returns the lock to record for the next time; nothing if the package has its own.
 * @throws Refusal if npm fails, or a dependency does not come from the registry.
 */
export async function fetchDependencies(
  manifest: Manifest,
  { own, folder, env, known }: DependencyOptions,
): Promise<DependencyLock | undefined> {
  const fields = ["dependencies", "optionalDependencies", "peerDependencies"] as const;
  writeManifest(
    folder,
    Object.fromEntries(fields.map((field) => [field, registryDependencies(manifest[field], "the package")])),
  );
  const lock = own ?? known;
  if (lock) writeLock(folder, lock);
  await npmInstall([], folder, env, "the dependencies");
  const now = readLock(folder);
  refuseOtherSources(now);
  removeLocks(folder);
  return own ? undefined : withoutAddresses(now);
}

interface DependencyOptions {
  /** An empty folder outside the package. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** The package's own lock. */
  readonly own: DependencyLock | undefined;
  /** The dependencies of the last install. */
  readonly known: DependencyLock | undefined;
}

/** A fixed name: npm would use the folder's, which varies. */
function writeManifest(folder: string, dependencies: Readonly<Record<string, Dependencies>>): void {
  const manifest = { name: "added-by-ikigai", private: true, ...dependencies };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

async function npmInstall(specs: readonly string[], folder: string, env: NodeJS.ProcessEnv, what: string) {
  const args = ["install", "--json", ...flags, "--", ...specs];
  const { exitCode, stdout, stderr } = await runUserProgram("npm", args, { cwd: folder, env: npmEnvironment(env) });
  if (exitCode !== 0) throw new Refusal(withoutSecretTexts(explain(what, stdout, stderr), env));
}

/**
 * Flags that override any configuration. Without --prefix, because npm would read `etc/npmrc` below it as the global
 * configuration; the folder is the prefix because it has a package.json. git is a program that fails, for versions of npm
 * without --allow-git, which would run the scripts of a dependency from git.
 */
const flags = [
  "--no-global",
  "--no-workspaces",
  "--ignore-scripts",
  "--git=false",
  "--allow-git=none",
  "--allow-directory=none",
  "--allow-file=root",
  "--allow-remote=root",
  "--no-update-notifier",
  "--no-audit",
  "--no-fund",
  "--no-dry-run",
  "--package-lock",
  "--omit=dev",
  "--save",
  "--save-exact",
  "--install-links",
  "--loglevel=error",
];

const advice: Readonly<Record<string, string>> = {
  E404: "Check its name, and the registry: npm config get registry.",
  ETARGET: "See its versions: npm view NAME versions.",
  E401: "The registry needs a login: npm login.",
  ENEEDAUTH: "The registry needs a login: npm login.",
  E403: "Your login may not read it in this registry. Check: npm whoami.",
  EINTEGRITY:
    "The download does not match the hash in the registry or the lock. Try again; if that does not help, do not use the package.",
  EALLOWGIT: fromElsewhere("git"),
  EALLOWREMOTE: fromElsewhere("an address"),
  EALLOWFILE: fromElsewhere("a file"),
  EALLOWDIRECTORY: fromElsewhere("a folder"),
};

function fromElsewhere(place: string): string {
  return `A dependency comes from ${place}, and ikigai fetches dependencies from the registry only: ask the author to publish it, or to bundle it into the tool.`;
}

/** Error codes of an unreachable registry. */
const isOffline = /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)$/;

function explain(what: string, stdout: string, stderr: string): string {
  const { code = "", summary = "", detail = "" } = readError(stdout);
  const reason = firstLine(summary) ?? firstLine(stderr) ?? firstLine(detail) ?? "it gives no reason";
  if (isOffline.test(code))
    return `npm could not fetch ${what}, because it cannot reach the registry: ${reason}. Check the network, and: npm config get registry.`;
  if (code === "ENOENT" && isTarball.test(what) && /package\.json/.test(reason))
    return `${what} has no package.json. Expected a tarball made by npm pack. For other archives, unpack them and add the folder.`;
  const name = what.replace(/(?<=.)@[^@/]*$/, "");
  const next = advice[code]?.replace("NAME", name) ?? `Try it by hand: npm install --ignore-scripts ${what}`;
  return `npm could not fetch ${what} (${code || "no code"}): ${reason}. ${next}`;
}

function readError(stdout: string): { code?: string; summary?: string; detail?: string } {
  try {
    return JSON.parse(stdout.slice(stdout.indexOf("{"))).error ?? {};
  } catch {
    return {};
  }
}

function firstLine(text: string): string | undefined {
  return text
    .split("\n")
    .find((line) => line.trim() !== "")
    ?.trim()
    .replace(/^\w*Error: |\.$/g, "");
}

/** A fetched package whose command runs. */
interface FetchedProgram extends Fetched {
  /** The path of the command's file in the stage. */
  readonly program: string;
}

/**
 * Fetches an npm package with its dependencies into an empty stage, without running anything from it, and finds its command.
 *
 * @param lock the dependencies of the last fetch, kept as far as they fit.
 * @throws Refusal if it cannot be fetched, or does not have one command.
 */
export async function fetchProgram(
  spec: string,
  { content }: Stage,
  { env, lock }: { readonly env: NodeJS.ProcessEnv; readonly lock?: DependencyLock | undefined },
): Promise<FetchedProgram> {
  const fetched = await fetchNpm(spec, content, env, lock);
  tameTree(content);
  const path = commandOf(join(content, fetched.packageDir), fetched.name);
  return { ...fetched, program: join(fetched.packageDir, path) };
}

/** The file of a package's only command, or of the one with the package's name. */
function commandOf(folder: string, name: string): string {
  const { bin } = readManifest(folder) ?? {};
  const own = basename(name);
  const commands = Object.entries(typeof bin === "string" ? { [own]: bin } : (bin ?? {}));
  const [, path] = commands.length === 1 ? (commands[0] ?? []) : (commands.find(([command]) => command === own) ?? []);
  if (typeof path !== "string")
    throw new Refusal(
      commands.length === 0
        ? `${name} has no command to run.`
        : `${name} has several commands, and none is called ${own}: ${commands.map(([command]) => command).join(", ")}.`,
    );
  const file = join(folder, path);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() && realpathSync(file).startsWith(realpathSync(folder) + sep))
    return path;
  throw new Refusal(`The command of ${name} is not a file of the package: ${path}. Nothing was added.`);
}
