import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram, pathOutsideProject, tellingLine } from "@ikigai/system";
import { AgentFailure } from "./agent-failure.ts";

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

/** Runs the user's git, never one of the project. @throws AgentFailure `INVALID_ARG` if it fails. */
export async function git(directory: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, GIT_COMMON_DIR, ...rest } = env;
  const project = env.IKIGAI_PROJECT_DIR ?? process.cwd();
  const path = pathOutsideProject(env.PATH ?? "", project);
  const program = findProgram("git", path, project);
  if (program === undefined) throw noWorktree("git is not on your PATH outside the project; install it");
  const own = { ...rest, ...noRemotes, PATH: path, GIT_OPTIONAL_LOCKS: "0" };
  try {
    const options = { cwd: directory, env: own, timeout: gitMs, maxBuffer: maxPrintedBytes };
    return (await run(program, [...noPrograms, ...args], options)).stdout;
  } catch (error) {
    const { stderr = "", message } = error as Error & { stderr?: string };
    throw noWorktree(tellingLine(stderr, "last") || message);
  }
}

/** Settings with which git runs a program when it writes or compares files, or writes them elsewhere. */
const unsafePattern = /^(?:filter|hook)\.|^core\.worktree$/;

/**
 * Makes sure that the repository's own configuration names no program for git to run, and no other place to write to. The programs
 * of the user's configuration, such as Git LFS, are the user's.
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

function noWorktree(why: string): AgentFailure {
  return new AgentFailure("INVALID_ARG", `No worktree can be made here: ${why}`, {
    hint: "Leave worktree out: the agent then works in the project itself.",
  });
}
