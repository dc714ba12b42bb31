import { isInside } from "@ikigai/system";
import { foldName } from "../fold-name.ts";
import { projectBounds } from "../inside-project.ts";
import { mentionsProtected } from "../protected-path.ts";
import { realTarget } from "../real-target.ts";
import { readShell, type ShellWord, type SimpleCommand } from "../shell/read-shell.ts";
import { isHarmlessRedirect } from "../shell/redirect.ts";
import { type PlacedCommand, withDirectories } from "../shell/with-directories.ts";
import type { CommandSpec, GivenArguments } from "./command-spec.ts";
import { sortFindArguments } from "./find-command.ts";
import { sortGitArguments } from "./git-command.ts";
import { type CommandPlace, programProblem, projectDirectories } from "./program-problem.ts";
import { readingCommands } from "./reading-commands.ts";
import { repositoryProblem } from "./repository-programs.ts";
import { sortBothWays } from "./sort-arguments.ts";
import { linksStayInside, maxEntries, type ReadingPlace, staysInside } from "./stays-inside.ts";

/** Where commands are judged. */
export interface ReadingScope {
  readonly projectDir: string;
  /** The directory with the user's tools, configuration and sessions; reading it always needs a question. */
  readonly home: string;
  /** The tool's `PATH`. Default: that of this process. */
  readonly path?: string;
}

/**
 * Returns why a shell command is not known to be read-only inside the project. `undefined` if every part is a listed program
 * with listed options, every path is in the project, and nothing is written.
 */
export function readingProblem(text: string, scope: ReadingScope): string | undefined {
  return partsProblem(readShell(text), scope);
}

/** The same of a command that has been parsed. */
export function partsProblem(commands: readonly SimpleCommand[] | undefined, scope: ReadingScope): string | undefined {
  if (commands === undefined || commands.length === 0) return "it cannot be parsed";
  const problemOf = partJudge(scope);
  for (const placed of withDirectories(commands, scope.projectDir)) {
    const problem = problemOf(placed);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Maximum number of words in all parts of a command; more need a question. Each may be a path, which takes about 10 µs to
 * resolve.
 */
export const maxWords = 2_000;

/**
 * Judges the parts of a parsed command one by one. With `isChanging`, another part may change where paths lead, so only
 * parts without paths are known to be read-only.
 */
export function partJudge(scope: ReadingScope, isChanging = false): (part: PlacedCommand) => string | undefined {
  const bounds = projectBounds(scope.projectDir, scope.home);
  if (bounds === undefined) return () => "the project directory cannot be resolved";
  const { project } = bounds;
  const home = realTarget(scope.home, project);
  const path = scope.path ?? process.env.PATH ?? "";
  const programs = projectDirectories(path, project);
  const shared = { ...bounds, home, givenHome: scope.home, programs, path, budget: { entries: maxEntries } };
  let words = maxWords;
  return ({ command, directory }) => {
    words -= command.words.length;
    if (words < 0) return "it is too long";
    if (directory === undefined || !isInside(directory, project)) return "its working directory is unknown";
    const place = { ...shared, cwd: directory, isChanging };
    return redirectProblem(command, place) ?? commandProblem(command, place);
  };
}

function redirectProblem({ redirects }: SimpleCommand, place: ReadingPlace): string | undefined {
  const isReading = redirects.every((redirect) => {
    if (isHarmlessRedirect(redirect)) return true;
    return redirect.operator === "<" && !redirect.target.isPattern && staysInside(redirect.target, place);
  });
  return isReading ? undefined : "it redirects to a file";
}

function commandProblem({ words }: SimpleCommand, place: CommandPlace): string | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  const name = first.text;
  const own = programProblem(name, place);
  if (own !== undefined) return own;
  if (name === "cd") return cdProblem(rest, place);
  if (name === "git") return gitProblem(rest, place);
  if (name === "find") return findProblem(rest, place);
  const spec = Object.hasOwn(readingCommands, name) ? readingCommands[name] : undefined;
  if (spec === undefined) return `${name} is not known to be read-only`;
  const readings = sortBothWays(spec, rest);
  if (typeof readings === "string") return readings;
  for (const given of readings) {
    const problem = givenProblem(spec, given, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function givenProblem(spec: CommandSpec, given: GivenArguments, place: ReadingPlace): string | undefined {
  const values = given.options.flatMap(({ value, isSeparate }) => (value && isSeparate ? value : []));
  const problem =
    spec.check?.(given) ?? protectedProblem(values, place) ?? pathProblem(given.paths, place, spec.isRecursive);
  if (problem !== undefined) return problem;
  if (spec.isRecursive && given.paths.length === 0 && !staysInside(here, { ...place, isChanging: false }, true))
    return "it reads places that always need a question";
  const follows = spec.followsLinks && !given.paths.every((word) => linksInWordStayInside(word, place));
  return follows ? "a symlink may lead out of the project" : undefined;
}

const here: ShellWord = { text: ".", isPattern: false, isTilde: false, isQuoted: false };

function linksInWordStayInside({ text, isPattern }: ShellWord, place: ReadingPlace): boolean {
  const fixed = isPattern ? text.slice(0, text.lastIndexOf("/", text.search(/[*?[]/)) + 1) : text;
  const real = realTarget(fixed || ".", place.cwd);
  return real !== undefined && linksStayInside(real, place);
}

function pathProblem(paths: readonly ShellWord[], place: ReadingPlace, isRecursive = false): string | undefined {
  const outside = paths.find((word) => !staysInside(word, place, isRecursive));
  return outside === undefined ? undefined : `${outside.text} may be outside the project`;
}

/**
 * Returns why words may not name a place whose files determine what runs: words that are taken for no path to read. Should the
 * program take one for the path of a file to write after all, that file would be there.
 */
function protectedProblem(
  words: readonly ShellWord[],
  { home = "/", givenHome = home }: ReadingPlace,
): string | undefined {
  const named = words.find(({ text }) => [home, givenHome].some((one) => mentionsProtected(foldName(text), one)));
  return named && `${named.text} names a protected directory`;
}

function cdProblem(words: readonly ShellWord[], place: ReadingPlace): string | undefined {
  const [target, ...others] = words;
  if (target === undefined || others.length > 0 || target.isPattern || target.text.startsWith("-"))
    return "it is unknown where cd leads";
  return pathProblem([target], place);
}

function findProblem(words: readonly ShellWord[], place: ReadingPlace): string | undefined {
  const given = sortFindArguments(words);
  if (typeof given === "string") return given;
  return pathProblem(given.operands.length > 0 ? given.paths : [here, ...given.paths], place, true);
}

/** Git commands that read the work tree, and therefore the repositories in it. */
const comparingCommands = new Set(["status", "diff", "stash", "describe", "ls-files", "grep"]);

function gitProblem(words: readonly ShellWord[], place: ReadingPlace): string | undefined {
  const command = sortGitArguments(words);
  if (typeof command === "string") return command;
  if (place.isChanging) return "another part may change the repository";
  let { cwd } = place;
  for (const directory of command.directories) {
    const next = realTarget(directory.text, cwd);
    if (directory.isPattern || directory.isTilde || next === undefined || !isInside(next, place.project))
      return "it runs outside the project";
    cwd = next;
  }
  const problem = protectedProblem(words, place) ?? pathProblem(command.given.paths, { ...place, cwd });
  if (problem !== undefined || command.name === "version") return problem;
  return repositoryProblem(cwd, place, comparingCommands.has(command.name));
}
