// The caches of package managers and compilers in the sandbox: a directory of the project in `~/.ikigai`, in place of the user's own.
// So installing works, and nothing that a tool leaves there runs for the user. It is mounted at `~/.cache`; variables lead programs
// there that keep their cache elsewhere. Cargo's and Go's are parts of directories with programs, so these parts are mounted. Where
// tools only read, `~/.cache` is the session's `/tmp`, and those parts are read-only.

import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { hereDirectory, isLinux, makeIfMissing, makePrivateDirectory, realPathOf } from "@ikigai/system";
import { isInRepository } from "./git-config.ts";
import type { SandboxPolicy, View } from "./place.ts";

/** Where a program has its cache in the sandbox. */
interface ProgramCache {
  readonly programs: string;
  /** The variable that names it; otherwise the program finds it there. */
  readonly variable?: string;
  /** Its path below `~/.cache`. */
  readonly path: string;
  /** Words of the variable's value around the path: the variable has options, and the user's own follow. */
  readonly option?: string;
}

/** The table, which the documentation prints. */
const programCaches: readonly ProgramCache[] = [
  { programs: "pip, uv, Poetry, Yarn 1, Deno, Go's builds, ccache and all that use `XDG_CACHE_HOME`", path: "" },
  { programs: "npm, npx", variable: "npm_config_cache", path: "npm" },
  { programs: "pnpm", variable: "pnpm_config_store_dir", path: "pnpm-store" },
  { programs: "pnpm's own versions", variable: "PNPM_HOME", path: "pnpm-home" },
  { programs: "Yarn 2 and later", variable: "YARN_GLOBAL_FOLDER", path: "yarn-berry" },
  { programs: "Bun", variable: "BUN_INSTALL_CACHE_DIR", path: "bun" },
  { programs: "Gradle", variable: "GRADLE_USER_HOME", path: "gradle" },
  { programs: "Maven", variable: "MAVEN_OPTS", path: "maven", option: "-Dmaven.repo.local=" },
  { programs: ".NET", variable: "NUGET_PACKAGES", path: "nuget" },
  { programs: ".NET's own state", variable: "DOTNET_CLI_HOME", path: "dotnet" },
];

/** A directory with programs, parts of which are caches. */
interface ToolchainCache {
  readonly programs: string;
  /** The variable that names the directory, of several the first. */
  readonly variable: string;
  /** Its usual path in the home directory. */
  readonly usual: string;
  /** The parts that are mounted from the project's cache. */
  readonly parts: readonly string[];
  /** Where all of it is below `~/.cache` if the directory does not exist. */
  readonly path: string;
}

/** What the documentation prints, too. */
const toolchainCaches: readonly ToolchainCache[] = [
  { programs: "Cargo", variable: "CARGO_HOME", usual: ".cargo", parts: ["registry", "git"], path: "cargo" },
  { programs: "Go's modules", variable: "GOPATH", usual: "go", parts: ["pkg"], path: "go" },
];

/** The part of the policy that caches depend on. */
type CachePolicy = Pick<
  SandboxPolicy,
  "home" | "userHome" | "projectDir" | "environment" | "isReadOnly" | "temporaryDir"
>;

/** A directory that is mounted as a cache. */
interface CacheMount {
  readonly source: string;
  readonly isReadOnly: boolean;
}

/** Returns what is mounted as caches, by the path at which a tool sees it. Creates what tools may write to. */
export function cacheMounts(policy: CachePolicy): ReadonlyMap<string, CacheMount> {
  const { userHome, environment, temporaryDir, isReadOnly = false } = policy;
  // What is mounted must lie where no tool can write, or a link in its place would lead the next mount elsewhere.
  const here = hereDirectory(policy);
  const cache = join(here, "cache");
  const ofSession = { source: temporaryDir, isReadOnly: false };
  const mounts = new Map([[cacheIn(userHome), isReadOnly ? ofSession : { source: cache, isReadOnly }]]);
  for (const one of toolchainCaches) {
    const directory = toolchainIn(one, userHome, environment);
    if (!existsSync(directory)) continue;
    for (const part of one.parts) {
      const place = join(realPathOf(directory), part);
      // The toolchain would create the same.
      if (!existsSync(place) && (isReadOnly || !makeIfMissing(place))) continue;
      mounts.set(realPathOf(place), { source: join(here, "toolchains", one.path, part), isReadOnly });
    }
  }
  const isThere = ({ source, isReadOnly: isKept }: CacheMount) => (isKept ? existsSync(source) : isMade(source));
  return new Map([...mounts].filter(([, mount]) => isThere(mount)));
}

/** Whether there is a directory that a tool may write to. */
function isMade(directory: string): boolean {
  // Of a policy that is only looked at.
  if (!isAbsolute(directory)) return false;
  try {
    if (!existsSync(directory)) makePrivateDirectory(directory);
    return true;
  } catch {
    // A full disk, or a home that cannot be written: there is no cache.
    return false;
  }
}

function cacheIn(userHome: string): string {
  return join(realPathOf(userHome), ".cache");
}

function toolchainIn({ variable, usual }: ToolchainCache, userHome: string, env: NodeJS.ProcessEnv): string {
  const [named = ""] = (env[variable] ?? "").split(":");
  return isAbsolute(named) ? named : join(userHome, usual);
}

/** Variables that name a cache which tools read, not write. */
const readCaches = /^(?:PUPPETEER|CYPRESS|PLAYWRIGHT)_/;

/** Returns the variables of caches in the sandbox; `undefined` for those that name one of the user's. @param viewOf what a tool sees at a path */
export function cacheVariables(
  env: NodeJS.ProcessEnv,
  { userHome, projectDir }: Pick<SandboxPolicy, "userHome" | "projectDir">,
  viewOf: (path: string) => View,
): NodeJS.ProcessEnv {
  if (!isLinux || viewOf(cacheIn(userHome)) !== "cache") return {};
  const { GOFLAGS: goFlags = "" } = env;
  const cache = cacheIn(userHome);
  const isUsersOwn = ([name, value = ""]: [string, string | undefined]) =>
    /cache/i.test(name) && !readCaches.test(name) && isAbsolute(value) && viewOf(value) !== "changeable";
  const dropped = Object.entries(env).filter(isUsersOwn);
  const set = programCaches.flatMap(({ variable, path, option }) => {
    if (variable === undefined) return [];
    const own = [join(cache, path)];
    return [[variable, option === undefined ? own[0] : [`${option}${own[0]}`, env[variable] ?? ""].join(" ").trim()]];
  });
  const moved = toolchainCaches.filter((one) => !existsSync(toolchainIn(one, userHome, env)));
  return {
    ...Object.fromEntries(dropped.map(([name]) => [name, undefined])),
    ...Object.fromEntries(set),
    ...Object.fromEntries(moved.map(({ variable, path }) => [variable, join(cache, path)])),
    // Otherwise the files of modules are read-only, and the cache could not be removed. Go takes a placeholder of `.git` for a repository.
    GOFLAGS: ["-modcacherw", ...(isInRepository(projectDir) ? [] : ["-buildvcs=false"]), goFlags].join(" ").trim(),
  };
}
