import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, normalize } from "node:path";
import { realTarget } from "../real-target.ts";
import type { SimpleCommand } from "./read-shell.ts";

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
const runners = new Set([".", "source", "command", "builtin"]);

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
  return movers.has(first) || (runners.has(first) && operands.some((operand) => movers.has(operand)));
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
