import { lstatSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isDirectory, isInside } from "@ikigai/system";
import { commonDirOf, gitConfigFiles, gitDirNamedBy, gitNamedPlaces } from "./git-config.ts";

/*
 * The one table of files that decide what runs later, without a question: outside the sandbox, by another program, or on another
 * machine. Permission asks before a file tool changes one, in every mode. In the sandbox, those that exist in the project are
 * read-only. The documentation prints the table.
 */

/** A file or directory that decides what runs, with everything below it. */
export interface DecisiveFile {
  /** Its path below any directory of a project. */
  readonly path: string;
  /** What runs, or gets its settings, from there. */
  readonly why: string;
  /** Whether it counts only in the user's home. */
  readonly isInHome?: true;
}

/** The table. */
export const decisiveFiles: readonly DecisiveFile[] = [
  { path: ".git", why: "git runs its hooks and the programs that its configuration names" },
  ...rows("ikigai takes tools, hooks and settings from it", ".ikigai"),
  ...rows("another agent takes hooks, servers and settings from it", ".claude", ".codex", ".gemini", ".cursor"),
  ...rows("agents start the MCP servers in it", ".mcp.json"),
  ...rows("the editor runs tasks and takes settings from it", ".vscode", ".idea", ".zed"),
  ...rows("the container of the project starts from it", ".devcontainer"),
  ...rows("the shell runs it on entering the directory", ".envrc", ".mise.toml", "mise.toml"),
  ...rows("git runs hooks from it", ".husky", ".githooks"),
  ...rows("package managers take registries, scripts and programs from it", ".npmrc", ".yarnrc.yml", ".pnpmfile.cjs"),
  ...rows(
    "the forge runs it, with the secrets of the project",
    ".github/workflows",
    ".github/actions",
    ".gitlab-ci.yml",
  ),
  ...[
    ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile"],
    ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".config/fish"],
  ].map((path) => ({ path, why: "a shell runs it when it starts", isInHome: true }) as const),
  ...[".gitconfig", ".config/git"].map(
    (path) => ({ path, why: "git runs the programs that it names", isInHome: true }) as const,
  ),
];

function rows(why: string, ...paths: readonly string[]): DecisiveFile[] {
  return paths.map((path) => ({ path, why }));
}

/** Where a path is. Paths have no links, and are spelled alike if the file system ignores case. */
interface DecisiveScope {
  readonly path: string;
  readonly project: string;
  readonly userHome: string | undefined;
}

/** Returns the row of the table that a path falls under. Above the project, only `.git` and `.ikigai` count. */
export function decisiveFileAt({ path, project, userHome }: DecisiveScope): DecisiveFile | undefined {
  const inProject = isInside(path, project) ? stepsOf(relative(project, path)) : stepsOf(path);
  const inHome = userHome !== undefined && isInside(path, userHome) ? relative(userHome, path) : undefined;
  const all = stepsOf(path);
  return decisiveFiles.find((row) => {
    if (row.isInHome) return inHome !== undefined && isInside(inHome, row.path);
    return (row.path === ".git" || row.path === ".ikigai" ? all : inProject).includes(stepsOf(row.path));
  });
}

/** A path as a text in which another path's steps are found. */
function stepsOf(path: string): string {
  return `${sep}${path}${sep}`;
}

/** Returns the files and directories of the table, other than git's and ikigai's, that exist at the top of a directory. */
export function decisiveFilesIn(directory: string): string[] {
  // A single file may have been made writable.
  if (!isDirectory(directory)) return [];
  return decisiveFiles
    .filter(({ path, isInHome }) => !isInHome && path !== ".git" && path !== ".ikigai")
    .map(({ path }) => join(directory, path))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
}

const anywhere = decisiveFiles.filter(({ isInHome, path }) => !isInHome && path !== ".git").map(({ path }) => path);
const decisivePart = new RegExp(
  `^(?:.*?/)?(?:${anywhere.map((path) => path.replaceAll(".", "\\.")).join("|")})(?=/|$)`,
);

/** Returns the path in the table that a path in a project falls under, with the directories before it. */
export function decisivePartOf(path: string): string | undefined {
  return decisivePart.exec(path)?.[0];
}

/** Returns the directories of hooks and the configuration files that git's configuration names for a project. Never throws. */
export function gitPlacesNamed(project: string, userHome: string, env: NodeJS.ProcessEnv): string[] {
  const dotGit = join(project, ".git");
  try {
    const gitDir = lstatSync(dotGit, { throwIfNoEntry: false })?.isDirectory() ? dotGit : gitDirNamedBy(dotGit);
    const own = gitDir === undefined ? [] : [join(commonDirOf(gitDir), "config"), join(gitDir, "config.worktree")];
    return gitNamedPlaces([...own, ...gitConfigFiles(userHome, env)], project, userHome).map(({ path }) => path);
  } catch {
    // A name that is not UTF-8: no call can name it.
    return [];
  }
}
