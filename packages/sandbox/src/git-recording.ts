import { existsSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { isInside, readNames, realPathOf, runProgram } from "@ikigai/system";
import {
  gitConfigFiles,
  gitNamedPlaces,
  hashBytesOf,
  isGitDirectory,
  isLink,
  isThere,
  readGitConfig,
  textOf,
} from "./git-config.ts";
import { gitLinks } from "./git-repositories.ts";

/*
 * Whether git commands that record work (`git add`, `git commit`) may run where they can write to the project's repository. Only git
 * itself does so there: not a hook, a filter or another program that a configuration names, which could write an index that makes the
 * user's next git run a program of the project. First the repository and the configurations are looked at, then the files: git would
 * add a repository among them as a submodule, and run the programs that its configuration names. Afterwards the index is looked at
 * again, since another process may have made a repository meanwhile.
 */

/** Settings of git in that place. They come before all files. */
export const recordingVariables: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["core.hooksPath", "/dev/null"],
    ["core.fsmonitor", "false"],
    ["diff.external", ""],
    ["diff.ignoreSubmodules", "all"],
    ["gc.auto", "0"],
    ["maintenance.auto", "false"],
    ["branch.autoSetupMerge", "false"],
  ]
    .flatMap(([name = "", value = ""], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ])
    .concat([["GIT_CONFIG_COUNT", "7"]]),
);

/** Settings with a program that one of these commands may run, or with another place for the files. */
const programSettings =
  /^(?:core\.(?:hookspath|worktree)|filter\.(?:clean|smudge|process)|diff\.(?:command|textconv)|merge\.driver|trailer\.(?:command|cmd)|log\.showsignature|(?:commit|tag)\.gpgsign|tag\.forcesignannotated|extensions\.(?:worktreeconfig|partialclone))$/;

/** The programs of Git LFS are what its name says. */
const isHarmless = (value: string) => value === "false" || /^git-lfs [\w-]+(?: -- %f)?$/.test(value);

/** What a rebase and the like leave: the next commit continues it. */
const underWay = ["rebase-merge", "rebase-apply", "sequencer", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"];

/** Variables that lead git to other files. */
const leading = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"];

interface RecordingScene {
  /** The project, whose top is that of its repository. */
  readonly projectDir: string;
  /** The user's directory (`~/.ikigai`), which has the commands of tools. */
  readonly home: string;
  readonly userHome: string;
  readonly env: NodeJS.ProcessEnv;
  /** Other directories that tools can change. */
  readonly writable?: readonly string[];
}

/** Why git cannot record work inside of the sandbox: the end of a sentence. `undefined` if it can. */
export async function recordingProblem(scene: RecordingScene): Promise<string | undefined> {
  const projectDir = realPathOf(scene.projectDir);
  const problem = repositoryProblem({ ...scene, projectDir });
  if (problem !== undefined) return problem;
  const settings = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
  const { exitCode, stdout } = await runProgram(
    "git",
    [...settings, "ls-files", "-z", "-c", "-o", "-k", "--exclude-standard"],
    { env: scene.env, projectDir, cwd: projectDir, maxBytes: maxListBytes, timeoutMs: maxListMs },
  );
  if (exitCode !== 0 || stdout.length === maxListBytes) return "the files of the project cannot be listed";
  const names = stdout.toString().split("\0");
  // Git lists no repository in a directory with tracked files, but adds it once they are gone from the index.
  const directories = new Set<string>();
  for (const name of names)
    for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1)) {
      const directory = name.slice(0, end + 1);
      if (directories.has(directory)) break;
      directories.add(directory);
    }
  const nested =
    names.find((name) => name.endsWith("/")) ??
    [...directories].find((name) => isThere(join(projectDir, name, ".git")));
  return (
    nested && `${nested} is a repository of its own, which git would add as a submodule and run what it configures`
  );
}

/** Far more names than a project has, and longer than listing them takes. */
const maxListBytes = 16 * 1024 * 1024;
const maxListMs = 5_000;

function repositoryProblem({ projectDir, home, userHome, env, writable = [] }: RecordingScene): string | undefined {
  const gitDir = join(projectDir, ".git");
  const isOwn = lstatSync(gitDir, { throwIfNoEntry: false })?.isDirectory() && isGitDirectory(gitDir);
  if (!isOwn || existsSync(join(gitDir, "commondir"))) return "the project has no repository of its own";
  const variable = leading.find((name) => env[name]);
  if (variable !== undefined) return `${variable} is set`;
  // `git` is what the shell finds: not what a tool has put there.
  const changeable = [projectDir, "/tmp", "/var/tmp", tmpdir(), join(userHome, ".cache"), ...writable].map(realPathOf);
  const isChangeable = (real: string) =>
    !isInside(real, realPathOf(home)) && changeable.some((one) => isInside(real, one));
  const isSafe = (path: string) => isAbsolute(path) && !isChangeable(realPathOf(path));
  const place = (env.PATH ?? "").split(":").find((one) => !isSafe(one));
  if (place !== undefined) return `PATH has ${place || "the working directory"}, where a tool may have put a program`;
  const link = readNames(gitDir).find((name) => isLink(join(gitDir, name)));
  if (link !== undefined) return `.git/${link} is a symbolic link`;
  if (existsSync(join(gitDir, "objects/info/alternates"))) return "the repository uses another one";
  const operation = underWay.find((name) => existsSync(join(gitDir, name)));
  if (operation !== undefined) return `.git/${operation}: git is in the middle of something`;
  const hooks = join(gitDir, "hooks");
  const hook = existsSync(hooks) ? readNames(hooks).find((name) => !name.endsWith(".sample")) : undefined;
  if (hook !== undefined) return `the repository has the hook ${hook}`;
  try {
    const own = join(gitDir, "config");
    if (gitLinks(gitDir, hashBytesOf(textOf(own))).length > 0) return "the repository has submodules";
    const files = [own, ...gitConfigFiles(userHome, env)];
    const included = gitNamedPlaces(files, projectDir, userHome).filter(({ kind }) => kind === "configuration");
    for (const file of [...files, ...included.map(({ path }) => resolve(path))]) {
      const setting = readGitConfig(textOf(file)).find(
        ({ name, value }) => programSettings.test(name) && !isHarmless(value),
      );
      if (setting) return `git's configuration sets ${setting.name}`;
    }
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}

/**
 * Keeps the index of a project before git records work. The result, to be called afterwards, puts it back if the new one has a repository
 * of its own in it, and says so in a sentence.
 */
export function keepIndex(projectDir: string): () => string | undefined {
  const gitDir = join(realPathOf(projectDir), ".git");
  const index = join(gitDir, "index");
  const before = existsSync(index) ? readFileSync(index) : undefined;
  return () => {
    try {
      const [added] = existsSync(index) ? gitLinks(gitDir, hashBytesOf(textOf(join(gitDir, "config")))) : [];
      if (added === undefined) return undefined;
      if (before === undefined) rmSync(index);
      else {
        // The way git does it, so that no other git writes at the same time.
        writeFileSync(`${index}.lock`, before, { flag: "wx" });
        renameSync(`${index}.lock`, index);
      }
      return `${added} is a repository of its own, so .git/index is as it was before the call.`;
    } catch (error) {
      return `.git/index cannot be checked: ${(error as Error).message}.`;
    }
  };
}
