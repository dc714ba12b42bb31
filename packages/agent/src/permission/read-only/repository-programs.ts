import { existsSync } from "node:fs";
import { join } from "node:path";
import { hasOwnCommonDir, indexEntries, isInside, statsOf } from "@ikigai/system";
import { behindLink, elsewhereProblem, findTop, isRepository } from "./repository-place.ts";
import { maxConfigBytes, readBytes } from "./small-files.ts";
import type { ReadingPlace } from "./stays-inside.ts";
import { userSettingProblem } from "./user-git-settings.ts";

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

/** Maximum size of an index to read before a call, in bytes. */
export const maxIndexBytes = 32 * 1024 * 1024;

/**
 * Returns why git may run a program named by the repository of `directory`, or why that is unknown; `undefined` if it runs
 * none. The whole repository must be inside the project, because git can show all of it. `readsWorkTree`: whether git also reads
 * the work tree, and enters repositories inside it.
 */
export function repositoryProblem(
  directory: string,
  { project, budget, programs }: ReadingPlace,
  readsWorkTree: boolean,
): string | undefined {
  const top = findTop(directory);
  if (top === undefined) return "there is no repository";
  if (!isInside(top, project)) return "the repository is larger than the project";
  const git = join(top, ".git");
  // A symlink or a file leads elsewhere, to a configuration that anyone may have written.
  if (!statsOf(git)?.isDirectory()) return "its .git is not a directory";
  if (!isRepository(git)) return "git may use another repository further up";
  if (!hasOwnCommonDir(git)) return "it shares the directory of another repository";
  if (existsSync(join(git, "hooks", "post-index-change"))) return "it has the hook post-index-change";
  const own = userSettingProblem(top, { project, programs });
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

/**
 * Returns why the work tree may make git run another repository's configuration or show files from elsewhere: git enters
 * repositories that the index names, and opens files through symlinks that replaced a directory.
 */
function besideProblem(top: string, index: string): string | undefined {
  if (!existsSync(index)) return undefined;
  const bytes = readBytes(index, maxIndexBytes);
  const entries = bytes && indexEntries(bytes);
  if (!entries?.isComplete) return "its index cannot be read";
  if (behindLink(top, entries.directories) !== undefined) return "a symlink has replaced a directory in it";
  const nested = entries.repositories.find((path) => existsSync(join(top, path, ".git")));
  return nested === undefined ? undefined : "it contains other repositories";
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
