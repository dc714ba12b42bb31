import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { makePrivateDirectory, userHome } from "@ikigai/system";
import { type AgentErrorCode, AgentFailure } from "./agent-failure.ts";
import { checkConfiguration, git, noWorktree, withoutFilters } from "./git.ts";
import { ownershipProblem } from "./own-repository.ts";

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
