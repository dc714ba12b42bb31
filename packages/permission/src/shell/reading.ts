// Which commands need no question because they only read. In the sandbox that is a hint: such a command runs where nothing can be
// changed, so a wrong guess is an error message. Without it, a command counts only if its words are literal, its programs are the
// system's and few, and every path is in the project. First: where the parts of a command run.

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, normalize } from "node:path";
import {
  hasOwnCommonDir,
  indexEntries,
  isInside,
  isProgram,
  readRegularFile,
  realPathOf,
  statsOf,
  userHome,
} from "@ikigai/system";
import { isFree, type ProjectScope, projectBounds, projectsOf, realTarget } from "../targets/paths.ts";
import { dangersIn } from "./programs.ts";
import { isHarmlessRedirect, readShell, type ShellWord, type SimpleCommand } from "./shell.ts";

/** A command and the directory it runs in, symlinks resolved; `undefined` if that is unknown. */
export interface PlacedCommand {
  readonly command: SimpleCommand;
  readonly directory: string | undefined;
  /** The target of a resolved `cd`, symlinks resolved. */
  readonly target?: string;
}

/** Builtins that change the directory. The first is resolved if everything about it is certain. */
const movers = new Set(["cd", "chdir", "pushd", "popd"]);

/** Builtins that may run one of those. */
const moverRunners = new Set([".", "source", "command", "builtin"]);

/**
 * Returns each command with its directory. A leading `cd DIR` is resolved if DIR exists now and every shell goes to the same
 * directory; after any other change the directory is unknown.
 */
export function withDirectories(
  commands: readonly SimpleCommand[],
  cwd: string,
  cdPath: string | undefined = process.env.CDPATH,
): readonly PlacedCommand[] {
  const start = realTarget(".", cwd);
  if (!commands.some(mayMove)) return commands.map((command) => ({ command, directory: start }));
  // A list with `&` runs in its own subshell, all of it, from wherever it began.
  const isDivided = commands.some(mayStartBackground);
  let place: Place | undefined = start === undefined ? undefined : { start, real: start, steps: [] };
  let isFront = true;
  return commands.map((command, index) => {
    const directory = isDivided ? undefined : place?.real;
    if (!mayMove(command)) isFront = false;
    else {
      const isPlain = isFront && command.words[0]?.text === "cd" && isSequential(command, commands[index + 1]);
      place = isPlain && place ? follow(place, command, cdPath) : undefined;
      if (place) return { command, directory, target: place.real };
    }
    return { command, directory };
  });
}

/** The directory that a leading `cd` leads to. */
interface Place {
  readonly start: string;
  readonly real: string;
  /** The path segments below `start` as the shell shows them; `undefined` after an absolute path. */
  readonly steps: readonly string[] | undefined;
}

function mayMove({ words }: SimpleCommand): boolean {
  const [first, ...operands] = words.map(({ text }) => text);
  if (first === undefined) return false;
  if (first === "." || first === "source") return true;
  return movers.has(first) || (moverRunners.has(first) && operands.some((operand) => movers.has(operand)));
}

/** Whether a command runs in the shell itself, and the next one only after it, on success or in any case. */
function isSequential(command: SimpleCommand, next: SimpleCommand | undefined): boolean {
  const isListed = ({ before }: SimpleCommand) => before !== "|" && before !== "&";
  return !redirectsBoth(command) && isListed(command) && (!next || (isListed(next) && next.before !== "||"));
}

function mayStartBackground(command: SimpleCommand): boolean {
  return command.before === "&" || redirectsBoth(command);
}

/** Whether some shells read an `&` there. */
function redirectsBoth({ redirects }: SimpleCommand): boolean {
  return redirects.some(({ operator }) => operator.startsWith("&>"));
}

/** Returns where `cd DIR` leads; `undefined` unless every shell agrees. */
function follow(
  { start, real, steps }: Place,
  { words }: SimpleCommand,
  cdPath: string | undefined,
): Place | undefined {
  const [, operand, ...others] = words;
  if (operand === undefined || others.length > 0 || operand.isPattern || operand.isTilde) return undefined;
  const { text } = operand;
  if (text === "" || text.startsWith("-")) return undefined;
  if (cdPath && !/^(?:\/|\.\.?(?:\/|$))/.test(text)) return undefined;
  const target = realTarget(text, real);
  if (target === undefined || !canEnter(target)) return undefined;
  if (isAbsolute(text)) {
    return realTarget(normalize(text), real) === target ? { start, real: target, steps: undefined } : undefined;
  }
  const below = descend(steps, text);
  if (below === undefined && text.split("/").includes("..")) return undefined;
  // Shells resolve `..` by removing the name before it, symlink or not.
  if (below && realTarget(below.join("/") || ".", start) !== target) return undefined;
  return { start, real: target, steps: below };
}

/** Returns the segments below the start after a relative path; `undefined` if it leaves the start, or they were unknown. */
function descend(steps: readonly string[] | undefined, path: string): readonly string[] | undefined {
  if (steps === undefined) return undefined;
  const result = [...steps];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") result.push(segment);
    else if (result.pop() === undefined) return undefined;
  }
  return result;
}

function canEnter(directory: string): boolean {
  try {
    accessSync(directory, constants.X_OK);
    return statSync(directory).isDirectory();
  } catch {
    return false;
  }
}

/** Programs that read, and print what they find. */
const readers = wordSet(
  "[ : awk base64 basename cat cd cksum cmp column comm cut date df diff dirname du echo egrep expand expr false fd fgrep file find " +
    "fmt fold gofmt grep head hexdump hostname id join jq ls md5sum nl nproc od paste printf pwd readlink realpath rev rg sed seq " +
    "sha1sum sha256sum sha512sum shasum sleep sort stat strings tac tail test tr tree true type uname unexpand uniq wc whereis which " +
    "whoami xxd yq",
);

/** Those of them that also count without the sandbox. */
export const plainReaders = wordSet(
  ": base64 basename cat cd cut date df dirname du echo expr false find grep head id ls nl nproc od paste pwd realpath rev rg sed seq " +
    "sort stat tac tail test tr tree true type uname uniq wc which whoami",
);

/** Commands of git that read, whatever their operands. */
const gitReaders = wordSet(
  "blame cat-file check-ignore cherry count-objects describe diff diff-tree for-each-ref grep log ls-files ls-tree merge-base name-rev " +
    "rev-list rev-parse shortlog show show-ref status version whatchanged",
);
const plainGitReaders = wordSet("diff log show status");

/** Commands of git that read with these first operands. */
const gitListers: Readonly<Record<string, RegExp>> = {
  branch: /^$/,
  config: /^(?:get|list)$/,
  reflog: /^(?:|show)$/,
  remote: /^(?:|get-url)$/,
  stash: /^(?:list|show)$/,
  tag: /^$/,
  worktree: /^list$/,
};

/** Options without a value that list, so that operands are patterns. */
const listing =
  /^(?:-l|--list|--get|--get-all|--get-regexp|--contains|--no-contains|--merged|--no-merged|--points-at)$/;

/** Options that follow symlinks out of the project, or read files that no word names. */
const reachesFurther =
  /^(?:-[a-zA-Z]*[LRf][a-zA-Z]*|--(?:deref|follow|no-index|file|files0|exclude-from|ignore-file|contents|recurse-sub|pathspec-from|check).*|-follow|-newer.*|-samefile)$/;

/** Settings of a repository that neither name a program nor lead to other files. */
const harmlessSettings = new RegExp(
  "^(?:core\\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)|" +
    "user\\.(?:name|email)|init\\.defaultbranch|(?:advice|color|fetch|pull|push)\\.\\w+|branch\\.(?:remote|merge|rebase)|" +
    "remote\\.(?:url|pushurl|fetch|prune)|submodule\\.(?:url|active))$",
);

/** Where commands are judged. */
export interface ReadingScope extends ProjectScope {
  /** Whether they run in the sandbox. */
  readonly isHeld?: boolean;
  /** The tool's `PATH`. Default: that of this process. */
  readonly path?: string;
}

/** Most words in all parts of a command; more need a question. Each may be a path to resolve. */
export const maxWords = 2_000;

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** Whether a program is one that reads. */
export function isReader(name: string): boolean {
  return name === "git" || readers.has(name);
}

/** Returns why a shell command does not count as one that only reads; `undefined` if it does. */
export function readingProblem(command: string, scope: ReadingScope): string | undefined {
  return partsProblem(readShell(command), scope);
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
 * Judges the parts of a parsed command one by one.
 *
 * @param isChanging whether another part may change where paths lead: then only parts count that read their input.
 */
export function partJudge(scope: ReadingScope, isChanging = false): (part: PlacedCommand) => string | undefined {
  let left = maxWords;
  const outside = scope.isHeld ? hiddenJudge(scope) : outsideJudge(scope);
  return (part) => {
    left -= part.command.words.length;
    if (left < 0) return "it is too long";
    return (
      wordsProblem(part.command) ??
      (isChanging && readsFiles(part.command) ? "another part may change what it reads" : undefined) ??
      outside(part)
    );
  };
}

/** Whether a command may read files, and not only its input. */
function readsFiles({ words: [first, ...rest], redirects }: SimpleCommand): boolean {
  const { text: name = "" } = first ?? {};
  if (redirects.some(({ operator }) => operator === "<") || /^(?:cd|find|git|rg|tree|du)$/.test(name)) return true;
  if (/^(?:echo|true|false|:|pwd|seq|test|which|type)$/.test(name)) return false;
  const texts = rest.map(({ text }) => text);
  if (/^[ef]?grep$/.test(name) && texts.some((text) => /^(?:-\w*r|--(?:rec|dir))/.test(text))) return true;
  const operands = texts.filter((text) => !/^-./.test(text) && !/^\d+$/.test(text));
  return operands.length > (/^(?:[ef]?grep|sed)$/.test(name) ? 1 : 0);
}

/** Why the words of a command, whatever they lead to, are not those of one that only reads. */
export function wordsProblem({ words, redirects }: SimpleCommand): string | undefined {
  if (!redirects.every((one) => one.operator === "<" || isHarmlessRedirect(one))) return "it redirects to a file";
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  const name = first.text;
  const texts = rest.map(({ text }) => text);
  if (/^(?:--version|--help)$/.test(texts.join(" "))) return undefined;
  if (name === "command") return texts[0] === "-v" ? undefined : "command runs a program";
  if (!isReader(name)) return `${name} is not known to be read-only`;
  const [danger] = dangersIn(name, rest);
  if (danger !== undefined) return `${name} ${danger} may do more than read`;
  const operands = texts.filter((text) => !/^-./.test(text));
  // Their second operand is a file to write, also one that looks like an option.
  const isWriter = (name === "uniq" || name === "xxd") && texts.at(-1) !== operands[0];
  if (isWriter && operands.length > 0) return `${name} may write a file`;
  if (name === "date" && operands.some((text) => !text.startsWith("+"))) return "it may set the clock";
  if (name === "hostname" && operands.length > 0) return "it may set the name";
  return name === "git" ? gitProblem(texts) : undefined;
}

function gitProblem(texts: readonly string[]): string | undefined {
  const { command = "", rest } = gitCommand(texts);
  if (gitReaders.has(command)) return undefined;
  const listed = Object.hasOwn(gitListers, command) ? gitListers[command] : undefined;
  const first = rest.find((text) => !text.startsWith("-")) ?? "";
  const lists = command !== "stash" && command !== "worktree" && rest.some((text) => listing.test(text));
  return listed !== undefined && (lists || listed.test(first))
    ? undefined
    : `git ${command} is not known to be read-only`;
}

/** The command of git, and the words behind it. */
export function gitCommand(texts: readonly string[]): {
  readonly command: string | undefined;
  readonly rest: readonly string[];
} {
  let at = 0;
  while (texts[at]?.startsWith("-")) at += /^-[Cc]$/.test(texts[at] ?? "") ? 2 : 1;
  return { command: texts[at], rest: texts.slice(at + 1) };
}

/** Judges whether parts name what the sandbox does not show as it is: the home outside the project, and directories for temporary files. */
function hiddenJudge(scope: ReadingScope) {
  const projects = projectsOf(scope);
  const [project = scope.projectDir] = projects;
  const hidden = ["/tmp", "/var/tmp", tmpdir(), userHome()].flatMap((place) => realTarget(place ?? "", "/") ?? []);
  const isHidden = (real: string) =>
    !projects.some((one) => isInside(real, one)) && hidden.some((place) => isInside(real, place));
  return ({ command: { words, redirects }, directory = project }: PlacedCommand): string | undefined => {
    if (isHidden(directory)) return `${directory} may be hidden in the sandbox`;
    const files = [...words.slice(1), ...redirects.map(({ target }) => target)];
    const word = files.find(({ text, isTilde, isPattern }) => {
      const fixed = isPattern ? text.slice(0, text.search(/[*?[]/)) : text;
      // A value may be attached to an option: -f/tmp/x.
      const path = fixed.replace(/^-[^/]*(?=\/)/, "");
      return isTilde || (/\/|^\.\.$/.test(path) && isHidden(realTarget(path, directory) ?? ""));
    });
    return word && `${word.text} may be hidden in the sandbox`;
  };
}

/** Judges where the words of parts lead that no sandbox holds. */
function outsideJudge({ path = process.env.PATH ?? "", ...scope }: ReadingScope) {
  const bounds = projectBounds(scope);
  const isWithin = (real: string | undefined, isRecursive = false) =>
    real !== undefined && bounds !== undefined && isFree(real, bounds, isRecursive);
  return ({ command: { words, redirects }, directory }: PlacedCommand): string | undefined => {
    if (directory === undefined || !bounds || !isWithin(directory)) return "its working directory is unknown";
    const [first, ...rest] = words;
    if (first === undefined) return undefined;
    const { text: name } = first;
    const texts = rest.map(({ text }) => text);
    if (name !== "git" && !plainReaders.has(name)) return `${name} is not known to be read-only`;
    if (!isSystems(name, path, bounds.projects)) return `${name} may be a program from the project`;
    const files = [...rest, ...redirects.filter(({ operator }) => operator === "<").map(({ target }) => target)];
    const recursive = /^(?:find|rg|du|tree)$/.test(name) || texts.some((text) => /^-\w*[rR]/.test(text));
    const isFreeHere = (real: string | undefined) => isWithin(real, recursive);
    const word = files.find((one) => !isLiteral(one) || !isPathFree(one.text, directory, isFreeHere));
    if (word) return `${word.text} may be outside the project`;
    const option = texts.find((text) => reachesFurther.test(text));
    if (option !== undefined) return `${name} ${option} may read elsewhere`;
    if (recursive && !isWithin(directory, true)) return "it may read a place that needs a question";
    return name === "git" ? repositoryProblem(texts, directory, bounds.projects) : undefined;
  };
}

/** Whether the program that the shell finds is not the project's; builtins are not. */
function isSystems(name: string, path: string, projects: readonly string[]): boolean {
  for (const directory of path.split(":")) {
    // Relative to where the command runs.
    if (!isAbsolute(directory)) return false;
    const program = join(directory, name);
    if (isProgram(program)) return !projects.some((project) => isInside(realPathOf(program), project));
  }
  return /^(?::|cd|type)$/.test(name);
}

function isLiteral({ text, isPattern, isTilde }: ShellWord): boolean {
  return !isPattern && !isTilde && !text.startsWith("~");
}

/** Whether a word, or the value of an option, names no file elsewhere. */
function isPathFree(text: string, directory: string, isFree: (real: string | undefined) => boolean): boolean {
  if (text === "/dev/null") return true;
  if (!text.startsWith("-")) return isFree(realTarget(text || ".", directory));
  // A dash alone is the input, unless there is such a file.
  if (text === "-") return !existsSync(join(directory, "-"));
  return !/[/~]|\.\./.test(text);
}

/** Why git may run a program that the repository names, or read elsewhere. */
function repositoryProblem(
  texts: readonly string[],
  directory: string,
  projects: readonly string[],
): string | undefined {
  const { command = "", rest } = gitCommand(texts);
  if (!plainGitReaders.has(command)) return `git ${command} is not known to be read-only`;
  if (texts.includes("-C") || rest.some((text) => /%[-+ ]?G|signature/.test(text))) return "git may reach further";
  let top = directory;
  while (!statsOf(join(top, ".git")) && !statsOf(join(top, "HEAD")) && top !== dirname(top)) top = dirname(top);
  const git = join(top, ".git");
  const isOwn =
    projects.some((project) => isInside(top, project)) &&
    statsOf(git)?.isDirectory() &&
    hasOwnCommonDir(git) &&
    existsSync(join(git, "HEAD"));
  if (!isOwn || existsSync(join(git, "objects/info/alternates"))) return "git may use another repository";
  if (existsSync(join(git, "hooks/post-index-change"))) return "the repository has a hook that runs";
  for (const name of ["config", "config.worktree"]) {
    const setting = unknownSetting(textOf(join(git, name)));
    if (setting !== undefined) return `the repository's configuration has ${setting}`;
  }
  const index = join(git, "index");
  const entries = existsSync(index) ? indexEntries(readRegularFile(index)) : { repositories: [], isComplete: true };
  return entries?.isComplete && entries.repositories.length === 0 ? undefined : "it may contain other repositories";
}

function textOf(path: string): string {
  return existsSync(path) ? readRegularFile(path).toString() : "";
}

/** The first setting of a configuration that is not known to be harmless. Values over several lines are not. */
function unknownSetting(config: string): string | undefined {
  let section = "";
  for (const line of config.split(/\r?\n/).map((one) => one.trim())) {
    if (line === "" || /^[#;]/.test(line)) continue;
    const [, header] = /^\[([A-Za-z][\w.-]*)(?: "(?:[^"\\]|\\.)*")?\]$/.exec(line) ?? [];
    if (header !== undefined) section = header.toLowerCase();
    else {
      const [, name = "a line"] = /^([A-Za-z][\w-]*)\s*(?:=|$)/.exec(line) ?? [];
      const setting = `${section}.${name.toLowerCase()}`;
      if (line.endsWith("\\") || !harmlessSettings.test(setting)) return setting;
    }
  }
  return undefined;
}
