// A git worktree, for an agent or for a session: made, found again, looked at, merged, removed. Below: git as it runs here, without programs
// that the repository names, and whose repository it may be.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { type Dirent, existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { promisify } from "node:util";
import {
  findProgram,
  hasOwnCommonDir,
  makePrivateDirectory,
  pathOutsideProject,
  readEntries,
  readRealPath,
  readWorktree,
  tellingLine,
  userHome,
} from "@ikigai/system";

/** Why git cannot do something with a worktree: the end of a sentence. */
export class WorktreeError extends Error {
  override readonly name = "WorktreeError";
}

/** Where a worktree is, and its branch. */
export interface WorktreePlace {
  readonly path: string;
  readonly branch: string;
}

/** A copy of the project on a branch of its own. */
export interface Worktree extends WorktreePlace {
  /** Where the project is in it. */
  readonly directory: string;
}

/** The directory of all worktrees. */
function worktreesDirectory(env: NodeJS.ProcessEnv): string {
  const { XDG_STATE_HOME: given = "" } = env;
  const state = isAbsolute(given) ? given : join(userHome(env) ?? "/", ".local/state");
  return join(state, "ikigai/worktrees");
}

/** The place of an agent's worktree. ikigai allows an agent to work there if it started that agent. */
export function agentPlace(env: NodeJS.ProcessEnv, session: string, slot: number): WorktreePlace {
  const id = `${session}-${slot}`;
  return { path: join(worktreesDirectory(env), id), branch: `ikigai/${id}` };
}

/** The place of a worktree that a user has named. Those of another repository are elsewhere. @throws WorktreeError without a repository. */
export async function namedPlace(env: NodeJS.ProcessEnv, project: string, name: string): Promise<WorktreePlace> {
  const common = resolve(project, (await git(project, ["rev-parse", "--git-common-dir"], env)).trimEnd());
  const hash = createHash("sha256").update(realpathSync(common)).digest("hex").slice(0, 8);
  return { path: join(worktreesDirectory(env), `${name}-${hash}`), branch: `ikigai/${name}` };
}

/** Opens a worktree that is there, from a directory of the repository. @throws WorktreeError. */
export async function openWorktree(
  env: NodeJS.ProcessEnv,
  project: string,
  { path, branch }: WorktreePlace,
): Promise<Worktree> {
  const prefix = (await git(project, ["rev-parse", "--show-prefix"], env)).trim();
  return { path, branch, directory: realpathSync(join(path, prefix)) };
}

/**
 * Makes a worktree of the project's repository at its last commit.
 *
 * @throws WorktreeError if the project is in no repository, the repository is not its own, its configuration names programs or another
 * place, or git cannot make one.
 */
export async function makeWorktree(
  env: NodeJS.ProcessEnv,
  project: string,
  { path, branch }: WorktreePlace,
): Promise<Worktree> {
  const prefix = (await git(project, ["rev-parse", "--show-prefix"], env)).trim();
  await checkConfiguration(project, env);
  await checkFiles(project, env);
  makePrivateDirectory(dirname(path));
  await git(project, ["worktree", "add", "--quiet", "--no-checkout", "-b", branch, path], env);
  try {
    // The configuration may include more here than in the project: by the directory or by the branch.
    await checkConfiguration(path, env);
    const settings = await withoutFilters(path, env);
    await git(path, ["reset", "--quiet", "--hard", "--no-recurse-submodules"], env, settings);
  } catch (error) {
    await removeEmpty(env, project, { path, branch });
    throw error;
  }
  return { path, branch, directory: realpathSync(join(path, prefix)) };
}

/**
 * Makes sure that git reads and writes only the repository's own files.
 *
 * @throws WorktreeError if it may not, or git cannot tell.
 */
async function checkFiles(project: string, env: NodeJS.ProcessEnv): Promise<void> {
  const pathOf = async (option: string) =>
    resolve(project, (await git(project, ["rev-parse", option], env)).replace(/\n$/, ""));
  const problem = ownershipProblem(await pathOf("--show-toplevel"), await pathOf("--git-common-dir"));
  if (problem !== undefined) throw new WorktreeError(problem);
}

/** Removes a worktree into which nothing has been checked out, with its branch; leaves what cannot be removed. */
async function removeEmpty(env: NodeJS.ProcessEnv, project: string, { path, branch }: WorktreePlace): Promise<void> {
  try {
    await git(project, ["worktree", "remove", "--force", path], env);
    await git(project, ["branch", "--quiet", "-D", branch], env);
  } catch {
    // Why no worktree could be made is what the user has to know.
  }
}

/** What is left of a worktree that is kept. */
export type Kept = { readonly worktree?: string; readonly branch?: string; readonly hint?: string };

/** Removes a worktree without changes, with its branch. Returns what is left if it is kept. */
export async function removeUnchanged(
  env: NodeJS.ProcessEnv,
  project: string,
  worktree: WorktreePlace | undefined,
): Promise<Kept> {
  if (!worktree) return {};
  const { path, branch } = worktree;
  let hint: string | undefined;
  try {
    const { settings, changes, commits } = await workIn(env, project, worktree);
    if (changes.length === 0 && commits === 0) {
      // Git compares the files once more.
      await git(project, ["worktree", "remove", path], env, settings);
      await git(project, ["branch", "--quiet", "-D", branch], env);
      return {};
    }
    if (changes.length > 0 && changes.every((change) => change.startsWith("!! "))) hint = ignoredHint;
  } catch {
    // Whatever git cannot tell may be a change.
  }
  return existsSync(path) ? { worktree: path, branch, ...(hint !== undefined && { hint }) } : { branch };
}

/** What was done in a worktree. */
export interface WorktreeWork {
  /** The settings that git needs there. */
  readonly settings: Settings;
  /** What differs from the last commit, as git prints it; ignored files begin with `!!`. */
  readonly changes: readonly string[];
  /** How many commits no other branch has. */
  readonly commits: number;
}

/** Looks at a worktree. @throws WorktreeError if git cannot tell, or may not look. */
export async function workIn(
  env: NodeJS.ProcessEnv,
  project: string,
  { path, branch }: WorktreePlace,
): Promise<WorktreeWork> {
  // A tool may have changed it meanwhile.
  await checkFiles(project, env);
  await checkConfiguration(path, env);
  // Inside a submodule git would run what is configured there. A worktree with one is kept: git removes none.
  const settings = await withoutFilters(path, env);
  // The user's configuration could hide new files, which git would then remove.
  const shown = ["--untracked-files=normal", "--ignored", "--ignore-submodules=all"];
  const changes = (await git(path, ["status", "--porcelain", ...shown], env, settings)).split("\n").filter(Boolean);
  const others = [`--exclude=${branch}`, "--branches", "--remotes", "--tags"];
  // It may have left the branch.
  const commits = await git(path, ["rev-list", branch, "HEAD", "--not", ...others], env);
  return { settings, changes, commits: commits.split("\n").filter(Boolean).length };
}

/**
 * Commits what is open in a worktree, merges its branch into the project's, and removes both. Hooks do not run.
 *
 * @param message of the commit.
 * @throws WorktreeError if git cannot: then the project is as it was, and the worktree is there.
 */
export async function mergeWorktree(
  env: NodeJS.ProcessEnv,
  project: string,
  worktree: WorktreePlace,
  message: string,
): Promise<void> {
  const { path, branch } = worktree;
  const { settings, changes } = await workIn(env, project, worktree);
  if ((await git(path, ["rev-parse", "--abbrev-ref", "HEAD"], env)).trim() !== branch)
    throw new WorktreeError(`${path} is not on the branch ${branch}`);
  if (changes.some((change) => !change.startsWith("!! "))) {
    await git(path, ["add", "--all"], env, settings);
    await git(path, ["commit", "--quiet", "-m", message], env, settings);
  }
  const own = await withoutFilters(project, env);
  try {
    await git(project, ["merge", "--quiet", "--no-edit", branch], env, own);
  } catch (error) {
    await git(project, ["merge", "--abort"], env, own).catch(() => {});
    throw error;
  }
  await removeWorktree(env, project, worktree);
}

/** Removes a worktree with its branch and all that is in it. @throws WorktreeError. */
export async function removeWorktree(
  env: NodeJS.ProcessEnv,
  project: string,
  { path, branch }: WorktreePlace,
): Promise<void> {
  await git(project, ["worktree", "remove", "--force", path], env);
  await git(project, ["branch", "--quiet", "-D", branch], env);
}

const ignoredHint =
  "The worktree has files that .gitignore leaves out. Merging its branch does not bring them: copy those that are needed.";

const run = promisify(execFile);

/**
 * A repository's hooks and monitor would be programs that the user has not allowed, and so would be those in the configuration of
 * files that only look like a repository.
 */
const noPrograms = [
  ...["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"],
  ...["-c", "submodule.recurse=false", "-c", "safe.bareRepository=explicit"],
];

/** Fetching what a partial clone lacks would run the programs that its remotes name. */
const noRemotes = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };

/** Longest time of a git command, in milliseconds: a large repository takes some time to copy. */
const gitMs = 120_000;

/** Most that a git command may print, in bytes: names of settings, changed files or commits. */
const maxPrintedBytes = 64 * 1_048_576;

/** What git needs of the environment. Nothing that is secret, or that names another repository. */
const neededVariable =
  /^(?:HOME|USER|LOGNAME|LANG|LANGUAGE|LC_.*|TZ|TMPDIR|XDG_.*|GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|GIT_(?:AUTHOR|COMMITTER)_.*)$/;

/** Names and values of settings. */
type Settings = readonly (readonly [name: string, value: string])[];

/**
 * Runs the user's git, never one of the project.
 *
 * @param settings that take precedence over all configuration
 * @throws WorktreeError if it fails.
 */
async function git(
  directory: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  settings: Settings = [],
): Promise<string> {
  const project = env.IKIGAI_PROJECT_DIR ?? process.cwd();
  const path = pathOutsideProject(env.PATH ?? "", project);
  const program = findProgram("git", path, project);
  if (program === undefined) throw new WorktreeError("git is not on your PATH outside the project; install it");
  const needed = Object.fromEntries(Object.entries(env).filter(([name]) => neededVariable.test(name)));
  const own = { ...needed, ...noRemotes, ...asVariables(settings), PATH: path, GIT_OPTIONAL_LOCKS: "0" };
  try {
    const options = { cwd: directory, env: own, timeout: gitMs, maxBuffer: maxPrintedBytes };
    return (await run(program, [...noPrograms, ...args], options)).stdout;
  } catch (error) {
    const { stderr = "", message } = error as Error & { stderr?: string };
    throw new WorktreeError(tellingLine(stderr, "last") || message);
  }
}

/** As variables: in an option, git would end a name at its first `=`. */
function asVariables(settings: Settings): Record<string, string> {
  const pairs = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

/**
 * Returns the settings that leave out the filters of all configuration, also the user's: the project's files choose the filter and
 * what it gets, an interpreter finds modules in the project, and Git LFS asks a server that the project names. Git then compares and
 * writes files as the repository has them.
 */
async function withoutFilters(directory: string, env: NodeJS.ProcessEnv): Promise<Settings> {
  const names = (await git(directory, ["config", "--list", "--name-only", "-z"], env)).split("\0");
  const filters = new Set(names.flatMap((name) => /^filter\.(.*)\.[^.]*$/s.exec(name)?.[1] ?? []));
  return [...filters].flatMap((filter) => [
    ...["clean", "smudge", "process"].map((command) => [`filter.${filter}.${command}`, ""] as const),
    [`filter.${filter}.required`, "false"] as const,
  ]);
}

/** Settings with which git runs a program when it writes or compares files, or writes them elsewhere. */
const unsafePattern = /^(?:filter|hook)\.|^core\.worktree$/;

/**
 * Makes sure that the repository's own configuration names no program for git to run, and no other place to write to.
 *
 * @throws WorktreeError if it names one, or git cannot tell.
 */
async function checkConfiguration(directory: string, env: NodeJS.ProcessEnv): Promise<void> {
  const words = (await git(directory, ["config", "--list", "--show-scope", "--name-only", "-z"], env)).split("\0");
  const isOwn = (index: number) => words[index - 1] === "local" || words[index - 1] === "worktree";
  const setting = words.find((word, index) => index % 2 === 1 && unsafePattern.test(word) && isOwn(index));
  if (setting === undefined) return;
  throw new WorktreeError(
    `the repository's configuration has ${JSON.stringify(setting)}, with which git runs a program or writes elsewhere`,
  );
}

/**
 * What a repository has that git does not write to for a worktree: links there, to shared hooks for instance, lead no write elsewhere.
 */
const notWritten: ReadonlySet<string> = new Set(["hooks", "info", "lfs", "annex", "modules", "description"]);

/**
 * Returns why a repository's files may be those of another one, which an agent would then get a copy of, or lead git elsewhere when it
 * writes; `undefined` if all are its own.
 *
 * @param top the root of its working tree
 * @param used the directory of the repository that git uses there
 */
export function ownershipProblem(top: string, used: string): string | undefined {
  try {
    const gitDir = commonDirectory(join(top, ".git"));
    if (gitDir === undefined || readRealPath(gitDir) !== readRealPath(used))
      return "its .git leads to another repository";
    if (existsSync(join(gitDir, "objects/info/alternates"))) return "it borrows objects of another repository";
    const link = readEntries(gitDir)
      .filter(({ name }) => !notWritten.has(name))
      .map((entry) => linkIn(gitDir, entry.name, entry))
      .find((found) => found !== undefined);
    return link === undefined ? undefined : `its .git has the symbolic link ${JSON.stringify(link)}`;
  } catch (error) {
    return `its .git cannot be read: ${(error as Error).message}`;
  }
}

/** The directory with the objects: `.git` itself, or for a worktree, that of the repository which has this worktree. */
function commonDirectory(dotGit: string): string | undefined {
  const stats = lstatSync(dotGit);
  if (stats.isDirectory()) return hasOwnCommonDir(dotGit) ? dotGit : undefined;
  return stats.isFile() ? readWorktree(dotGit)?.commonDir : undefined;
}

/** Returns the first symbolic link at or below a path in a directory. */
function linkIn(
  directory: string,
  path: string,
  entry: Pick<Dirent, "isSymbolicLink" | "isDirectory">,
): string | undefined {
  if (entry.isSymbolicLink()) return path;
  if (!entry.isDirectory()) return undefined;
  for (const inner of readEntries(join(directory, path))) {
    const found = linkIn(directory, `${path}/${inner.name}`, inner);
    if (found !== undefined) return found;
  }
  return undefined;
}
