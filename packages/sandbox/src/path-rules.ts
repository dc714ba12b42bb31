import { lstatSync } from "node:fs";
import { join, sep } from "node:path";
import { isInside, readEntries } from "@ikigai/system";

/*
 * Rules about places: which path a rule is about, and which files of a project are there now. A pattern without a slash stands for a
 * name at any depth of the project, one with a slash starts in the project, in the home (`~/`) or at the root; what is below a match
 * matches, too.
 */

/** A rule about places. The first one that matches a path decides. */
export interface PathRule {
  /** `deny`: cannot be read or changed; `ask`: can be read. */
  readonly verdict: "ask" | "deny";
  readonly pattern: string;
}

/** Where patterns start. Both are without links. */
interface PathBase {
  readonly project: string;
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

function readPattern(text: string, { project, userHome }: PathBase): Pattern {
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
  const parsed = rules.map(({ verdict, pattern }) => ({ verdict, ...readPattern(pattern, base) }));
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
  const starts = [...new Set(rules.map(({ pattern }) => readPattern(pattern, base).start))];
  let left = maxEntries;
  const visit = (directory: string): void => {
    for (const entry of entriesOf(directory)) {
      if (left-- === 0)
        throw new Error(
          `there are too many files in ${base.project} to find those of path(…) rules: name their directories`,
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
