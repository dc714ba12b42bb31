// What of a project's repositories tools may change, and what decides what git runs. First everything that git reads on its own around a
// project, then what git writes to where a tool may commit, then whether commands that record work (`git add`, `git commit`) may run where
// the repository can be written. Only git itself does so there: not a hook, a filter or another program that a configuration names, which
// could write an index that makes the user's next git run a program of the project.

import { existsSync, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve, sep } from "node:path";
import {
  isClosedDirectory,
  isInside,
  isLink,
  isThere,
  readNames,
  readRegularFile,
  readWorktree,
  realPathOf,
  resolveGitPath,
  runProgram,
  type Walk,
  type WorktreeDirectories,
  walkLinks,
} from "@ikigai/system";
import { decisiveFilesIn } from "./decisive-files.ts";
import {
  commonDirOf,
  gitConfigFiles,
  gitDirNamedBy,
  gitLinks,
  gitNamedPlaces,
  gitRepositories,
  hashBytesOf,
  isGitDirectory,
  isHead,
  type NamedPlace,
  pathNamedIn,
  type Repository,
  readGitConfig,
  textOf,
} from "./git-config.ts";
import type { SandboxPolicy } from "./place.ts";

/** The part of the policy that git's places depend on. */
type GitPolicy = Pick<SandboxPolicy, "git" | "userHome" | "environment">;

/**
 * Finds a project's repositories and everything that decides what git runs
 * in them. Does not run git, which could run what a repository configures.
 *
 * @param roots the directories a tool may change, without links: everything else is safe.
 * @throws Error, a sentence for people, if some of it cannot be protected.
 */
export function gitPlaces(projectDir: string, roots: readonly string[], policy: GitPolicy): GitPlaces {
  const own = ownPlaces(projectDir, policy.git);
  const usersFiles = gitConfigFiles(policy.userHome, policy.environment);
  const repositories = gitRepositories(projectDir, roots);
  const named = repositories.flatMap(({ top, gitDir }) => {
    // A submodule that is not checked out has no hooks.
    if (gitDir === undefined && top !== projectDir) return [];
    const files = gitDir === undefined ? [] : configFilesOf(gitDir);
    return gitNamedPlaces([...files, ...usersFiles], top, policy.userHome);
  });
  const parts = [
    own,
    // One of the user's files may be a link into the project.
    ...usersFiles.map((path) => protectedPlace({ path, kind: "configuration" }, roots)),
    ...(policy.environment.GIT_DIR
      ? [protectedPlace({ path: resolve(projectDir, policy.environment.GIT_DIR), kind: "hooks" }, roots)]
      : []),
    ...repositories.flatMap(({ gitDir }) => worktreesOf(gitDir)).map((path) => worktree(path, roots)),
    ...named.map((place) => protectedPlace(place, roots)),
    ...repositories.filter(({ top }) => top !== projectDir).map((one) => otherRepository(one, roots)),
  ];
  return {
    writable: own.writable,
    shown: parts.flatMap(({ shown }) => shown),
    missing: parts.flatMap(({ missing }) => missing),
    tracked: trackedDecisive(repositories, roots),
  };
}

/** Each costs about 0.2 ms when a sandbox starts. */
const maxTracked = 16;

/** The tracked files that determine what runs, below the top of the project; of many, those nearest to it. */
function trackedDecisive(repositories: readonly Repository[], roots: readonly string[]): string[] {
  const known = new Set(roots.flatMap(decisiveFilesIn));
  const depth = (path: string) => path.split(sep).length;
  return repositories
    .flatMap(({ decisive }) => decisive)
    .filter((path) => !known.has(path) && roots.some((root) => isInside(path, root)) && isThere(path))
    .sort((one, other) => depth(one) - depth(other))
    .slice(0, maxTracked);
}

/** The project's own repository. */
function ownPlaces(projectDir: string, writes: GitPolicy["git"] = false): GitPlaces {
  const dotGit = join(projectDir, ".git");
  const stats = lstatSync(dotGit, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) throw new Error(`${dotGit} is a symbolic link, which cannot be protected`);
  const gitDir = stats?.isDirectory() ? dotGit : stats && gitDirNamedBy(dotGit);
  const isRepository = gitDir !== undefined && isGitDirectory(gitDir);
  const bare = isRepository && writes !== true ? nothing : noBareRepository(projectDir, isRepository);
  if (stats === undefined) return { ...bare, missing: [...bare.missing, { path: dotGit, mayStay: false }] };
  const isDirectory = stats.isDirectory();
  const places =
    writes === true || (writes === "committing" && isDirectory)
      ? writableGitPlaces(dotGit, { isDirectory, isCommitting: writes === "committing" })
      : onlyShown(dotGit, gitDir);
  return {
    writable: places.writable,
    shown: [...bare.shown, ...places.shown],
    missing: [...bare.missing, ...places.missing],
  };
}

const nothing: GitPlaces = { writable: [], shown: [], missing: [] };

function onlyShown(dotGit: string, gitDir: string | undefined): GitPlaces {
  const elsewhere = gitDir === undefined || gitDir === dotGit ? [] : [gitDir, commonDirOf(gitDir)];
  const missing = elsewhere.flatMap((path) => walkLinks(path).missing ?? []).map((path) => ({ path, mayStay: false }));
  return { writable: [], shown: [dotGit, ...elsewhere], missing };
}

/**
 * Without a `.git`, git treats the directory itself as a repository if it has a `HEAD`, and `objects` and `refs` that it may enter. So
 * a tool may not create one of them: the placeholder is an empty directory, which git does not list. With one that is called `HEAD`, git
 * would not know what `git diff HEAD` means; of the others no one but root is kept out.
 */
function noBareRepository(projectDir: string, isRepository: boolean): GitPlaces {
  const head = join(projectDir, "HEAD");
  if (isThere(head)) {
    if (isLink(head) || (isHead(head) && !isRepository)) {
      throw new Error(`${head} can make the project a bare git repository, whose configuration cannot be protected`);
    }
    return { ...nothing, shown: [head] };
  }
  const others = process.geteuid?.() === 0 ? [] : ["refs", "objects"].map((name) => join(projectDir, name));
  const closed = others.find(isClosedDirectory);
  if (closed !== undefined) return { ...nothing, shown: [closed] };
  const missing = others.find((path) => !isThere(path));
  return { ...nothing, missing: [{ path: missing ?? head, mayStay: false, isClosed: missing !== undefined }] };
}

function configFilesOf(gitDir: string): string[] {
  return [join(commonDirOf(gitDir), "config"), join(gitDir, "config"), join(gitDir, "config.worktree")];
}

/** Protects a path that decides what git runs, if a tool could change it. */
function protectedPlace({ path, kind }: NamedPlace, roots: readonly string[]): GitPlaces {
  const isOurs = (place: string) => roots.some((root) => isInside(place, root));
  const walk = walkIfPossible(path);
  // Where this process has no access, its tools have none.
  if (walk === undefined && !isOurs(path)) return nothing;
  const { target, missing, links } = walk ?? walkLinks(path);
  const link = links.find(isOurs);
  if (link !== undefined) {
    throw new Error(`${link} is a symbolic link on the way to git configuration, which cannot be protected`);
  }
  if (!isOurs(target)) return nothing;
  if (missing === undefined) return { ...nothing, shown: [target] };
  const isFile = kind === "configuration" && missing === target;
  return { ...nothing, missing: [{ path: missing, ...(isFile && { content: "" }), mayStay: false }] };
}

/** Protects a submodule or an outer repository: its `.git`, and the directory that points to, if a tool could change them. */
function otherRepository({ top, gitDir }: Repository, roots: readonly string[]): GitPlaces {
  const dotGit = join(top, ".git");
  // Not checked out. A placeholder for `.git` would make `git status` fail for everyone.
  if (gitDir === undefined && isEmptyDirectory(top)) return protectedPlace({ path: top, kind: "hooks" }, roots);
  const named = gitDir ?? gitDirNamedBy(dotGit);
  const paths = [dotGit, ...(named === undefined ? [] : [named, commonDirOf(named)])];
  const places = [...new Set(paths)].map((path) => protectedPlace({ path, kind: "hooks" }, roots));
  return {
    ...nothing,
    shown: places.flatMap(({ shown }) => shown),
    missing: places.flatMap(({ missing }) => missing),
  };
}

function isEmptyDirectory(path: string): boolean {
  try {
    return lstatSync(path).isDirectory() && readNames(path).length === 0;
  } catch {
    return false;
  }
}

/** The `.git` files of the repository's other worktrees. */
function worktreesOf(gitDir: string | undefined): string[] {
  const worktrees = gitDir === undefined ? undefined : join(commonDirOf(gitDir), "worktrees");
  if (worktrees === undefined || !isThere(worktrees)) return [];
  return readNames(worktrees).flatMap((name) => {
    const file = pathNamedIn(join(worktrees, name, "gitdir")).trimEnd();
    return file === "" ? [] : [resolveGitPath(join(worktrees, name), file)];
  });
}

/** Protects the `.git` file of a worktree inside the project. */
function worktree(dotGit: string, roots: readonly string[]): GitPlaces {
  return isThere(dotGit) ? protectedPlace({ path: dotGit, kind: "hooks" }, roots) : nothing;
}

/** @throws the error of a link that leads to a name that is not UTF-8: it may lead anywhere. */
function walkIfPossible(path: string): Walk | undefined {
  try {
    return walkLinks(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EILSEQ") throw error;
    return undefined;
  }
}

interface GitWriter {
  readonly isDirectory: boolean;
  /** Whether nothing but git writes there, to record work: then a `commondir` cannot appear. */
  readonly isCommitting?: boolean;
}

/** Returns what git writes to in a repository that a tool may commit to, and what decides what git runs there. */
export function writableGitPlaces(dotGit: string, { isDirectory, isCommitting }: GitWriter): GitPlaces {
  if (isDirectory) return repository(dotGit, [], isCommitting);
  const worktree = readableWorktree(dotGit);
  // A submodule, or a file that points to a repository that does not point back: read-only, git cannot commit there.
  if (worktree === undefined) return { writable: [], shown: [dotGit], missing: [] };
  const { gitDir, commonDir } = worktree;
  const own = ["commondir", "gitdir", "config.worktree"].map((name) => join(gitDir, name)).filter(isThere);
  const { writable, shown, missing } = repository(commonDir, [gitDir]);
  return { writable, shown: [dotGit, ...own, ...shown], missing };
}

/** A worktree's directories, if they can be read and the repository points back to this worktree. */
function readableWorktree(dotGit: string): WorktreeDirectories | undefined {
  try {
    return readWorktree(dotGit);
  } catch {
    return undefined;
  }
}

/** @param worktrees the directory of the tool's own worktree below `gitDir`, if it works in one. */
function repository(gitDir: string, worktrees: readonly string[], isCommitting = false): GitPlaces {
  const hooks = join(gitDir, "hooks");
  const config = join(gitDir, "config");
  const deciding = [hooks, config, join(gitDir, "config.worktree"), join(gitDir, "commondir")];
  // Not a repository yet: it must not become one.
  if (!isThere(join(gitDir, "HEAD"))) return { writable: [], shown: [gitDir], missing: [] };
  // Links could be replaced: then nothing may be changed.
  if (deciding.some(isLink)) return { writable: [], shown: [gitDir], missing: [] };
  const text = textOf(config);
  const usesWorktreeConfig = /worktreeconfig/i.test(text);
  const needed: MissingPlace[] = [
    { path: hooks, mayStay: true },
    { path: config, content: "", mayStay: true },
    // It redirects the whole configuration. Without the file, git uses "." as well.
    ...(isCommitting ? [] : [{ path: join(gitDir, "commondir"), content: ".\n", mayStay: false }]),
    ...(usesWorktreeConfig ? [{ path: join(gitDir, "config.worktree"), content: "", mayStay: true }] : []),
  ];
  const kept = ["config.worktree", "modules", "worktrees", ...(isCommitting ? ["info", "objects/info"] : [])];
  const others = kept.map((name) => join(gitDir, name));
  return {
    writable: [gitDir, ...worktrees],
    shown: others.filter(isThere),
    missing: needed,
  };
}

/** What a sandbox must know about a project's repositories. */
interface GitPlaces {
  /** Directories git writes to, so a tool may change them. */
  readonly writable: readonly string[];
  /** Existing paths that decide what git runs: read-only. */
  readonly shown: readonly string[];
  /** Tracked files that determine what runs, deeper in the project: read-only where they are. */
  readonly tracked?: readonly string[];
  /** Missing paths that would decide what git runs: to be created and then protected. */
  readonly missing: readonly MissingPlace[];
}

/** A path to create before it can be protected. */
interface MissingPlace {
  readonly path: string;
  /** File content; without it, a directory. */
  readonly content?: string;
  /** Whether it may stay: git would create the same. */
  readonly mayStay: boolean;
  /** Whether it is a directory that no one may enter. */
  readonly isClosed?: boolean;
}

/** Settings of git in that place. They come before all files. */
const commitSettings: readonly (readonly [string, string])[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["diff.external", ""],
  ["diff.ignoreSubmodules", "all"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["branch.autoSetupMerge", "false"],
];

/** The variables of that place. They name the repository, so that a directory of the project cannot lead git to another one. */
export function commitVariables(projectDir: string): Readonly<Record<string, string>> {
  const project = realPathOf(projectDir);
  const settings = commitSettings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...Object.fromEntries(settings),
    ...{ GIT_CONFIG_COUNT: `${commitSettings.length}`, GIT_DIR: join(project, ".git"), GIT_WORK_TREE: project },
  };
}

/** Settings with a program that one of these commands may run, or with another place for the files. */
const programSettings =
  /^(?:core\.(?:hookspath|worktree)|filter\.(?:clean|smudge|process)|diff\.(?:command|textconv)|merge\.driver|trailer\.(?:command|cmd)|log\.showsignature|(?:commit|tag)\.gpgsign|tag\.forcesignannotated|extensions\.(?:worktreeconfig|partialclone))$/;

/** The programs of Git LFS are what its name says. */
const isHarmless = (value: string) => value === "false" || /^git-lfs [\w-]+(?: -- %f)?$/.test(value);

/** What a rebase and the like leave: the next commit continues it. */
const underWay = ["rebase-merge", "rebase-apply", "sequencer", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"];

/** Variables that lead git to other files. */
const leading = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"];

interface CommitScene {
  /** The project, whose top is that of its repository. */
  readonly projectDir: string;
  /** The user's directory (`~/.ikigai`), which has the commands of tools. */
  readonly home: string;
  readonly userHome: string;
  readonly env: NodeJS.ProcessEnv;
  /** Other directories that tools can change. */
  readonly writable?: readonly string[];
}

/**
 * Why git cannot record work inside of the sandbox: the end of a sentence. `undefined` if it can. Looks at the repository and its
 * configurations, then at the files: git would add a repository among them as a submodule, and run the programs that its configuration
 * names. `keepIndex` looks again afterwards, since another process may have made a repository meanwhile.
 */
export async function commitProblem(scene: CommitScene): Promise<string | undefined> {
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

function repositoryProblem({ projectDir, home, userHome, env, writable = [] }: CommitScene): string | undefined {
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
  const before = existsSync(index) ? readRegularFile(index) : undefined;
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
