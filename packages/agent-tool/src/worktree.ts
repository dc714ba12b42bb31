// A git worktree for an agent: made, found again, removed if nothing changed in it. Below: git as it runs here, without
// programs that the repository names, and whose repository it may be.
import { execFile } from "node:child_process";
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
import { type AgentErrorCode, AgentFailure } from "./agent-failure.ts";

/** A copy of the project on a branch of its own. */
export interface Worktree {
  readonly path: string;
  readonly branch: string;
  /** The agent's directory in it: where the project is in the repository. */
  readonly directory: string;
}

/** Where the worktree of an agent is, and its branch. ikigai allows an agent to work there if it started that agent. */
function placeOf(env: NodeJS.ProcessEnv, session: string, slot: number): Pick<Worktree, "path" | "branch"> {
  const { XDG_STATE_HOME: given = "" } = env;
  const state = isAbsolute(given) ? given : join(userHome(env) ?? "/", ".local/state");
  const id = `${session}-${slot}`;
  return { path: join(state, "ikigai/worktrees", id), branch: `ikigai/${id}` };
}

/**
 * Makes a worktree of the project's repository at its last commit.
 *
 * @throws AgentFailure `INVALID_ARG` if the project is in no repository, the repository is not its own, its configuration names
 * programs or another place, or git cannot make one.
 */
export async function makeWorktree(
  env: NodeJS.ProcessEnv,
  project: string,
  { session, slot }: { readonly session: string; readonly slot: number },
): Promise<Worktree> {
  const { path, branch } = placeOf(env, session, slot);
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
 * @throws AgentFailure `INVALID_ARG` if it may not, or git cannot tell.
 */
async function checkFiles(project: string, env: NodeJS.ProcessEnv): Promise<void> {
  const pathOf = async (option: string) =>
    resolve(project, (await git(project, ["rev-parse", option], env)).replace(/\n$/, ""));
  const problem = ownershipProblem(await pathOf("--show-toplevel"), await pathOf("--git-common-dir"));
  if (problem !== undefined) throw noWorktree(problem);
}

/** Removes a worktree into which nothing has been checked out, with its branch; leaves what cannot be removed. */
async function removeEmpty(
  env: NodeJS.ProcessEnv,
  project: string,
  { path, branch }: Pick<Worktree, "path" | "branch">,
): Promise<void> {
  try {
    await git(project, ["worktree", "remove", "--force", path], env);
    await git(project, ["branch", "--quiet", "-D", branch], env);
  } catch {
    // Why no worktree could be made is what the user has to know.
  }
}

/** Returns the worktree of an agent, if it has one. */
export function findWorktree(
  env: NodeJS.ProcessEnv,
  session: string,
  slot: number,
): Omit<Worktree, "directory"> | undefined {
  const place = placeOf(env, session, slot);
  return existsSync(place.path) ? place : undefined;
}

/** What the answer says about a worktree that is kept. */
type Kept = { readonly worktree?: string; readonly branch?: string; readonly hint?: string };

/** Removes a worktree without changes, with its branch. Returns the fields of the answer for one that is kept. */
export async function removeUnchanged(
  env: NodeJS.ProcessEnv,
  project: string,
  worktree: Omit<Worktree, "directory"> | undefined,
): Promise<Kept> {
  if (!worktree) return {};
  const { path, branch } = worktree;
  let hint: string | undefined;
  try {
    // A tool may have changed it meanwhile.
    await checkFiles(project, env);
    await checkConfiguration(path, env);
    // Inside a submodule git would run what the agent has configured there. A worktree with one is kept: git removes none.
    const settings = await withoutFilters(path, env);
    // The user's configuration could hide new files, which git would then remove.
    const shown = ["--untracked-files=normal", "--ignored", "--ignore-submodules=all"];
    const changes = (await git(path, ["status", "--porcelain", ...shown], env, settings)).split("\n").filter(Boolean);
    const others = [`--exclude=${branch}`, "--branches", "--remotes", "--tags"];
    // It may have left the branch.
    const commits = await git(path, ["rev-list", branch, "HEAD", "--not", ...others], env);
    if (changes.length === 0 && commits.trim() === "") {
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

const ignoredHint =
  "The worktree has files that .gitignore leaves out. Merging its branch does not bring them: copy those that are needed.";

/**
 * Returns the answer of an agent that has ended, and says where its changes are; without changes, removes the worktree.
 *
 * @param worktree returns it once the agent has ended.
 * @throws what `answer` throws: a failure says the same.
 */
export async function withWorktree<Answer extends object>(
  worktree: () => Omit<Worktree, "directory"> | undefined,
  project: string,
  env: NodeJS.ProcessEnv,
  answer: () => Promise<Answer>,
): Promise<Answer & Kept> {
  try {
    const given = await answer();
    return { ...(await removeUnchanged(env, project, worktree())), ...given };
  } catch (error) {
    const kept = await removeUnchanged(env, project, worktree());
    if (!(error instanceof AgentFailure)) throw error;
    throw new AgentFailure(error.code as AgentErrorCode, error.message, { ...kept, ...error.details });
  }
}

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
export type Settings = readonly (readonly [name: string, value: string])[];

/**
 * Runs the user's git, never one of the project.
 *
 * @param settings that take precedence over all configuration
 * @throws AgentFailure `INVALID_ARG` if it fails.
 */
export async function git(
  directory: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  settings: Settings = [],
): Promise<string> {
  const project = env.IKIGAI_PROJECT_DIR ?? process.cwd();
  const path = pathOutsideProject(env.PATH ?? "", project);
  const program = findProgram("git", path, project);
  if (program === undefined) throw noWorktree("git is not on your PATH outside the project; install it");
  const needed = Object.fromEntries(Object.entries(env).filter(([name]) => neededVariable.test(name)));
  const own = { ...needed, ...noRemotes, ...asVariables(settings), PATH: path, GIT_OPTIONAL_LOCKS: "0" };
  try {
    const options = { cwd: directory, env: own, timeout: gitMs, maxBuffer: maxPrintedBytes };
    return (await run(program, [...noPrograms, ...args], options)).stdout;
  } catch (error) {
    const { stderr = "", message } = error as Error & { stderr?: string };
    throw noWorktree(tellingLine(stderr, "last") || message);
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
export async function withoutFilters(directory: string, env: NodeJS.ProcessEnv): Promise<Settings> {
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
 * @throws AgentFailure `INVALID_ARG` if it names one, or git cannot tell.
 */
export async function checkConfiguration(directory: string, env: NodeJS.ProcessEnv): Promise<void> {
  const words = (await git(directory, ["config", "--list", "--show-scope", "--name-only", "-z"], env)).split("\0");
  const isOwn = (index: number) => words[index - 1] === "local" || words[index - 1] === "worktree";
  const setting = words.find((word, index) => index % 2 === 1 && unsafePattern.test(word) && isOwn(index));
  if (setting === undefined) return;
  throw noWorktree(
    `the repository's configuration has ${JSON.stringify(setting)}, with which git runs a program or writes elsewhere`,
  );
}

/** The failure of an agent that was to get a worktree. */
export function noWorktree(why: string): AgentFailure {
  return new AgentFailure("INVALID_ARG", `No worktree can be made here: ${why}`, {
    hint: "Leave worktree out: the agent then works in the project itself.",
  });
}

/**
 * What a repository has that git does not write to for a worktree: links there, to shared hooks for instance, lead no write elsewhere.
 */
const notWritten: ReadonlySet<string> = new Set(["hooks", "info", "lfs", "annex", "modules", "description"]);

/**
 * Returns why a repository's files may be those of another one, which the agent would then get a copy of, or lead git elsewhere when it
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
