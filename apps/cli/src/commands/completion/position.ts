// What the last word of a command line can be: finds the command, reads the words before the cursor, and lists commands that begin so.

import {
  type CommandName,
  commandGroups,
  commands,
  findCommand,
  firstWords,
  isCommandGroup,
} from "../../args/commands.ts";
import { type CommandSyntax, mainOptions, type Operand, type Option, type Options } from "../../args/option.ts";
import { commandRows } from "../../help/explain-command.ts";

/** What the word at the cursor can be. */
export type Position =
  /** The rest of a command's name. */
  | { readonly kind: "command"; readonly prefix: string }
  | { readonly kind: "option"; readonly options: Options; readonly given: ReadonlySet<string> }
  /** An option's value. `glued` is the part before it in the same word: `--model=`. */
  | { readonly kind: "value"; readonly option: Option; readonly glued: string; readonly words: readonly string[] }
  | { readonly kind: "operand"; readonly operand: Operand; readonly words: readonly string[] }
  | { readonly kind: "nothing" };

const help = { help: { short: "h", summary: "show help" } } as const satisfies Options;

/** Finds what the last word can be from the words before it. */
export function findPosition(words: readonly string[]): Position {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  if (before.length === 0 && !current.startsWith("-")) return { kind: "command", prefix: "" };
  const found = findCommand(before);
  if (found) return insideCommand(found.name, found.args, current);
  const [first = ""] = before;
  if (!firstWords.includes(first)) return inside(mainOptions, [], before, current);
  return before.length === 1 ? { kind: "command", prefix: `${first} ` } : { kind: "nothing" };
}

function insideCommand(name: CommandName, before: readonly string[], current: string): Position {
  const { options, operands }: CommandSyntax = commands[name];
  return inside({ ...options, ...help }, operands, before, current);
}

function inside(options: Options, operands: readonly Operand[], before: readonly string[], current: string): Position {
  const seen = readBefore(options, before);
  if (seen.pending && !(seen.pending.valueOptional && current.startsWith("-")))
    return { kind: "value", option: seen.pending, glued: "", words: before };
  const [, name = ""] = /^--([\w-]+)=/.exec(current) ?? [];
  const option = options[name];
  if (option) return { kind: "value", option, glued: `--${name}=`, words: before };
  if (current.startsWith("-")) return { kind: "option", options, given: seen.given };
  const last = operands.at(-1);
  const operand = operands[seen.operands] ?? (last?.isRepeated ? last : undefined);
  if (operand) return { kind: "operand", operand, words: before };
  return current === "" ? { kind: "option", options, given: seen.given } : { kind: "nothing" };
}

/** Reads the words before the cursor: the options, the number of operands, and the option whose value comes next. */
function readBefore(options: Options, words: readonly string[]) {
  const given = new Set<string>();
  let operands = 0;
  let pending: Option | undefined;
  for (const word of words) {
    const isValue: boolean = pending !== undefined && !(pending.valueOptional && word.startsWith("-"));
    pending = undefined;
    if (isValue) continue;
    if (!word.startsWith("-")) operands++;
    const [written = "", ...value] = word.split("=");
    for (const name of optionsIn(written, options)) {
      const option = options[name];
      if (option && !option.repeated) given.add(name);
      pending = option?.value !== undefined && value.length === 0 ? option : undefined;
    }
  }
  return { given, operands, pending };
}

/** The options that a word names: one in `--model`, several in `-pm`. */
function optionsIn(word: string, options: Options): string[] {
  if (word.startsWith("--")) return [word.slice(2)];
  const letters = /^-(\w+)$/.exec(word)?.[1] ?? "";
  return [...letters].flatMap((letter) => Object.keys(options).find((name) => options[name]?.short === letter) ?? []);
}

/** A completion candidate. Not every shell shows the description. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** The candidates; with `paths`, the shell adds files or directories. */
export interface Offer {
  readonly candidates: readonly Candidate[];
  readonly paths?: "file" | "directory";
}

/** The next words of the commands that begin with `prefix`, without duplicates. */
export function nextWords(prefix: string): Candidate[] {
  const found = new Map<string, string>();
  for (const [command, summary] of commandRows(prefix)) {
    const [word = ""] = command.slice(prefix.length).split(" ");
    found.set(word, found.has(word) && isCommandGroup(word) ? commandGroups[word] : summary);
  }
  return [...found].map(([value, description]) => ({ value, description }));
}
