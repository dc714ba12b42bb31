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
