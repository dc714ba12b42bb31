// The one table of files that decide what runs later, without a question: outside the sandbox, by another program, or on another
// machine. Permission asks before a file tool changes one, in every mode. In the sandbox, those that exist in the project are
// read-only. The documentation prints the table. Then the user's own rules about places, `path(PATTERN)`: a pattern without a slash stands
// for a name at any depth of the project, one with a slash starts in the project, in the home (`~/`) or at the root; what is below a match
// matches, too.

import { lstatSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isDirectory, isInside, readEntries } from "@ikigai/system";

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

/** A rule about places. The first one that matches a path decides. */
export interface PathRule {
  /** `deny`: cannot be read or changed; `ask`: can be read. */
  readonly verdict: "ask" | "deny";
  readonly pattern: string;
}

/** Where patterns start. Both are without links. */
interface PathBase {
  readonly projects: readonly string[];
  readonly userHome: string;
}

/** More entries are not looked through for the files of a rule: it would take seconds before each command. */
const maxEntries = 200_000;

/** Directories whose files no pattern without a slash means. */
const skipped = new Set([".git", "node_modules"]);

interface Pattern {
  /** The directory that all its paths are in. */
  readonly start: string;
  readonly regex: RegExp;
}

/** The patterns of a rule: in each project, unless it says where it starts. */
function readPatterns(text: string, { projects, userHome }: PathBase): Pattern[] {
  const isFixed = /^(?:~?\/)/.test(text);
  return projects.slice(0, isFixed ? 1 : undefined).map((project) => readPattern(text, project, userHome));
}

function readPattern(text: string, project: string, userHome: string): Pattern {
  const trimmed = text.replace(/(?:\/(?:\*\*)?)+$/, "").replace(/^\.\//, "/./");
  const [base, rest] = trimmed.startsWith("~/")
    ? [userHome, trimmed.slice(2)]
    : trimmed.startsWith("/./")
      ? [project, trimmed.slice(3)]
      : trimmed.startsWith("/")
        ? ["", trimmed.slice(1)]
        : [project, text.includes("/") ? trimmed : `**/${trimmed}`];
  const steps = rest.split("/");
  const wild = steps.findIndex((step) => /[*?[]/.test(step));
  const start = [base, ...(wild < 0 ? steps.slice(0, -1) : steps.slice(0, wild))].join("/") || sep;
  return { start, regex: new RegExp(`^${escaped(base)}/${toRegex(rest)}(?:/|$)`, "is") };
}

/** A pattern of names as a regular expression: `**` stands for directories, `*` and `?` for parts of a name. */
function toRegex(pattern: string): string {
  return pattern.replace(/\*\*\/|\*+|\?|\[[^\]/]+\]|./gs, (part) => {
    if (part === "**/") return "(?:[^/]+/)*";
    if (part.startsWith("*")) return part === "*" ? "[^/]*" : ".*";
    if (part === "?") return "[^/]";
    return part.length > 1
      ? `[${part
          .slice(1, -1)
          .replace(/^!/, "^")
          .replace(/[\\[\]]/g, "\\$&")}]`
      : escaped(part);
  });
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Returns a function that finds the rule about an absolute path. */
export function pathJudge(
  rules: readonly PathRule[],
  base: PathBase,
): (path: string) => PathRule["verdict"] | undefined {
  const parsed = rules.flatMap(({ verdict, pattern }) =>
    readPatterns(pattern, base).map((one) => ({ verdict, ...one })),
  );
  return (path) => parsed.find(({ regex }) => regex.test(path))?.verdict;
}

/** The places of rules that exist. */
type RuledPlaces = Readonly<Record<PathRule["verdict"], readonly string[]>>;

/**
 * Finds the files and directories that rules are about now.
 *
 * @throws Error, a sentence for people, if there are too many files to look through, or names that are not UTF-8.
 */
export function ruledPlaces(rules: readonly PathRule[], base: PathBase): RuledPlaces {
  const found = { ask: new Set<string>(), deny: new Set<string>() };
  const judge = pathJudge(rules, base);
  const starts = [...new Set(rules.flatMap(({ pattern }) => readPatterns(pattern, base).map(({ start }) => start)))];
  let left = maxEntries;
  const visit = (directory: string): void => {
    for (const entry of entriesOf(directory)) {
      if (left-- === 0)
        throw new Error(
          `there are too many files in ${directory} to find those of path(…) rules: name their directories`,
        );
      const path = join(directory, entry.name);
      const verdict = judge(path);
      if (verdict) found[verdict].add(path);
      else if (entry.isDirectory() && !skipped.has(entry.name)) visit(path);
    }
  };
  for (const start of starts) {
    const verdict = judge(start);
    if (verdict && lstatSync(start, { throwIfNoEntry: false })) found[verdict].add(start);
    else if (!starts.some((other) => other !== start && isInside(start, other))) visit(start);
  }
  return { ask: [...found.ask], deny: [...found.deny] };
}

function entriesOf(directory: string) {
  try {
    return readEntries(directory);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // What this process cannot read, a tool cannot either.
    if (["ENOENT", "ENOTDIR", "EACCES", "EPERM"].includes(code)) return [];
    throw new Error(
      `${directory} cannot be looked through for the files of path(…) rules: ${(error as Error).message}`,
    );
  }
}
