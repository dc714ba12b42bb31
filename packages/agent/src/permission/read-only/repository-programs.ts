import { existsSync, readFileSync, type Stats, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isInside, userHome } from "@ikigai/system";
import { realTarget } from "../real-target.ts";
import { indexEntries } from "./git-index.ts";
import { behindLink, elsewhereProblem, findTop, isRepository } from "./repository-place.ts";
import type { ReadingPlace } from "./stays-inside.ts";

/**
 * Settings that neither name a program nor lead to other files. Any other setting needs a question, because the programs
 * that git's configuration can run grow with its versions.
 */
const harmlessSettings = new Set(
  (
    "core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode " +
    "core.symlinks core.autocrlf core.eol core.safecrlf core.longpaths core.sharedrepository core.quotepath core.abbrev " +
    "core.hidedotfiles core.untrackedcache core.preloadindex core.commitgraph core.multipackindex " +
    "user.name user.email user.signingkey commit.gpgsign tag.gpgsign init.defaultbranch merge.conflictstyle merge.ff " +
    "diff.algorithm diff.renames diff.colormoved diff.mnemonicprefix lfs.repositoryformatversion"
  ).split(" "),
);
const harmlessSections = new Set(["advice", "color", "column", "fetch", "gc", "pull", "push", "rerere"]);
const harmlessBranch = new Set(["remote", "merge", "rebase", "description", "pushremote"]);
const harmlessRemote = new Set(["url", "pushurl", "fetch", "push", "tagopt", "prune", "gh-resolved"]);

/** Maximum size of a configuration and of an index to read before a call, in bytes. */
const maxConfigBytes = 256 * 1024;
export const maxIndexBytes = 32 * 1024 * 1024;

/**
 * Returns why git may run a program named by the repository of `directory`, or why that is unknown; `undefined` if it runs
 * none. The whole repository must be inside the project, because git can show all of it. `readsWorkTree`: whether git also reads
 * the work tree, and enters repositories inside it.
 */
export function repositoryProblem(
  directory: string,
  { project, budget }: ReadingPlace,
  readsWorkTree: boolean,
): string | undefined {
  const top = findTop(directory);
  if (top === undefined) return "there is no repository";
  if (!isInside(top, project)) return "the repository is larger than the project";
  const git = join(top, ".git");
  // A symlink or a file leads elsewhere, to a configuration that anyone may have written.
  if (!statOf(git)?.isDirectory()) return "its .git is not a directory";
  if (!isRepository(git)) return "git may use another repository further up";
  if (existsSync(join(git, "commondir"))) return "it shares the directory of another repository";
  if (existsSync(join(git, "hooks", "post-index-change"))) return "it has the hook post-index-change";
  const own = userSettingProblem(top, project);
  if (own !== undefined) return own;
  for (const name of ["config", "config.worktree"]) {
    const path = join(git, name);
    if (!existsSync(path)) continue;
    const text = readBytes(path, maxConfigBytes);
    const setting = text === undefined ? name : unknownSetting(text.toString("utf8"));
    if (setting !== undefined) return `its configuration has ${setting}`;
  }
  const problem = elsewhereProblem(git, budget);
  if (problem !== undefined || !readsWorkTree) return problem;
  return besideProblem(top, join(git, "index"));
}

/** Maximum number of files of the user's git configuration. */
const maxConfigFiles = 100;

/** Settings of the user with which git starts itself inside other repositories, whose configuration others write. */
const enteringSettings = [
  ["submodule", /^(?!short$)/],
  ["recurse", /^(?!false$|no$|off$|0$)/],
  ["submoduleSummary", /^(?!false$|no$|off$|0$)/],
] as const;

/** Variables with which git uses another repository or configuration than the ones that are looked at. */
const replacingVariables = [
  ...["GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"],
  ...["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"],
];

/** Returns why the user's or the machine's configuration may make git run a program of the project. */
function userSettingProblem(top: string, project: string): string | undefined {
  const replacing = replacingVariables.find((name) => process.env[name] !== undefined);
  if (replacing !== undefined) return `your environment has ${replacing}, with which git works elsewhere`;
  const { GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, XDG_CONFIG_HOME } = process.env;
  const home = userHome();
  if (home === undefined) return "your home directory is unknown";
  const xdg = XDG_CONFIG_HOME || join(home, ".config");
  const own = GIT_CONFIG_GLOBAL ? [GIT_CONFIG_GLOBAL] : [join(home, ".gitconfig"), join(xdg, "git", "config")];
  const files = new Set([GIT_CONFIG_SYSTEM || "/etc/gitconfig", ...own]);
  // Iteration includes what is added meanwhile.
  for (const path of files) {
    if (!existsSync(path)) continue;
    const place = realTarget(path, top);
    if (place === undefined || isInside(place, project)) return "your git configuration has a file in the project";
    const text = readBytes(path, maxConfigBytes)?.toString("utf8");
    if (text === undefined || files.size > maxConfigFiles) return "your git configuration cannot be read";
    for (const hooks of valuesOf("hookspath", text, home)) {
      const real = realTarget(hooks, top);
      if (real === undefined || isInside(real, project)) return "your core.hooksPath leads into the project";
    }
    for (const [name, enters] of enteringSettings) {
      if (valuesOf(name, text, home).some((value) => enters.test(value.toLowerCase())))
        return `your git configuration has ${name}, with which git enters other repositories`;
    }
    for (const [section] of text.matchAll(includingSection)) {
      for (const value of valuesOf("path", section, home)) files.add(resolve(dirname(path), value));
    }
  }
  return undefined;
}

/** A section that includes other files, under any condition, up to the next section. */
const includingSection = /^[ \t]*\[include(?:if[ \t][^\n]*?)?\].*(?:\n(?![ \t]*\[).*)*/gim;

/** Returns the values of a setting in any section; a name alone on its line means `true`. */
function valuesOf(name: string, text: string, home: string): string[] {
  const space = "[ \\t\\v\\f\\ufeff]*";
  const lines = new RegExp(`^(?:.*\\])?${space}${name}${space}(?:=[ \\t]*"?([^"\\r\\n]*)|[#;\\r]|$)`, "gim");
  return [...text.matchAll(lines)].map(([, value = "true"]) => value.trim().replace(/^~(?=\/|$)/, home));
}

/**
 * Returns why the work tree may make git run another repository's configuration or show files from elsewhere: git enters
 * repositories that the index names, and opens files through symlinks that replaced a directory.
 */
function besideProblem(top: string, index: string): string | undefined {
  if (!existsSync(index)) return undefined;
  const bytes = readBytes(index, maxIndexBytes);
  const entries = bytes && indexEntries(bytes);
  if (entries === undefined) return "its index cannot be read";
  if (behindLink(top, entries.directories) !== undefined) return "a symlink has replaced a directory in it";
  const nested = entries.repositories.find((path) => existsSync(join(top, path, ".git")));
  return nested === undefined ? undefined : "it contains other repositories";
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function readBytes(path: string, maxBytes: number): Buffer | undefined {
  const stat = statOf(path);
  if (!stat?.isFile() || stat.size > maxBytes) return undefined;
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Returns the first setting of a configuration that is not known to be harmless. Values over several lines are not harmless.
 */
export function unknownSetting(text: string): string | undefined {
  let section = "";
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim();
    if (trimmed === "" || /^[#;]/.test(trimmed)) continue;
    const header = /^\[([A-Za-z][\w.-]*)(?: "(?:[^"\\]|\\.)*")?\]$/.exec(trimmed);
    if (header) {
      section = (header[1] ?? "").toLowerCase();
      continue;
    }
    const name = /^([A-Za-z][\w-]*)\s*(?:=|$)/.exec(trimmed)?.[1]?.toLowerCase();
    const isHarmless = name !== undefined && !trimmed.endsWith("\\") && isHarmlessSetting(section, name);
    if (!isHarmless) return name === undefined ? "a line that cannot be parsed" : `${section}.${name}`;
  }
  return undefined;
}

function isHarmlessSetting(section: string, name: string): boolean {
  if (section === "remote") return harmlessRemote.has(name);
  if (section === "branch") return harmlessBranch.has(name);
  // A summary of submodules is made by git processes inside them.
  if (section === "status") return name !== "submodulesummary";
  if (section === "submodule") return name === "url" || name === "active";
  return harmlessSections.has(section) || harmlessSettings.has(`${section}.${name}`);
}
