// What was read from a source, whatever its kind, and the comments of a plain tool that say the same.

import type { PlainParameter } from "@ikigai/protocol";

/** One tool of a wrapper: all of it, or one of its commands. */
export interface WrappedCommand {
  /** The command's word; absent if the program has only one. */
  readonly word?: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** Other tags, without the sign of a comment. */
  readonly more?: readonly string[];
}

/** What a command takes. */
export type Parameter = Pick<
  PlainParameter,
  "name" | "word" | "type" | "isList" | "isRequired" | "choices" | "fallback"
> & {
  readonly description: string;
};

/** What was read from a source. */
export interface Source {
  readonly commands: readonly WrappedCommand[];
  /** What starts it, before its arguments; `undefined` for the source itself. */
  readonly program?: string;
  /** Whether it starts in any directory. Otherwise it starts in that of the source. */
  readonly runsAnywhere?: true;
  /** Lines of a shell before it starts, which may change the arguments. */
  readonly before?: readonly string[];
  /** The lines that run it, for one that is no program. @param place its path, as a word of a shell. @param words the commands' words. */
  readonly linesFor?: (place: string, words: readonly string[]) => readonly string[];
  /** The first line of a wrapper, and the sign of its comments. Default: those of sh. */
  readonly interpreter?: string;
  readonly leader?: string;
  /** Whether it takes operands without the `--` before them. */
  readonly dropsDashes?: true;
  /** What could not be read, one sentence each. */
  readonly notes: readonly string[];
}

/** Two words that only signs tell apart would be one tool. */
export function withoutDoubles(commands: readonly WrappedCommand[]): WrappedCommand[] {
  const key = ({ word = "" }: WrappedCommand) => word.replace(/[^A-Za-z0-9]+/g, "_");
  return commands.filter((one, index) => commands.findIndex((other) => key(other) === key(one)) === index);
}

/** A text that the comments of a plain tool can hold on one line. */
export function oneLine(text: string): string {
  const line = text
    .replace(/\\[nt]/g, " ")
    .replace(/[\s\p{C}]+/gu, " ")
    .trim()
    .replace(/^[^\p{L}\p{N}"'(]+/u, "");
  return line === "" ? "No description" : line.slice(0, 200).trim();
}

/** The comments that describe the commands of a wrapper. */
export function tagsOf({ commands, leader = "#" }: Pick<Source, "commands" | "leader">): string[] {
  return commands.flatMap(({ word, description, parameters, more = [] }) =>
    [
      word === undefined ? `@describe ${description}` : `@cmd ${word} ${description}`,
      ...parameters.map(tagOf),
      ...more,
    ].map((tag) => `${leader} ${tag}`),
  );
}

function tagOf({ name, word, type, isList, isRequired, choices, fallback, description }: Parameter): string {
  const kind = word === undefined ? "arg" : type === "flag" || type === "count" ? "flag" : "option";
  const mark = type === "count" ? "*" : isList ? (isRequired ? "+" : "*") : isRequired ? "!" : "";
  const isWord = (text: string) => /^[\w./:@%,-]+$/.test(text);
  const list = choices && choices.length > 0 && choices.every(isWord) ? `[${choices.join("|")}]` : "";
  const isQuotable = (text: string) => !/["\p{C}]/u.test(text);
  const quoted = fallback !== undefined && isWord(fallback) ? fallback : `"${fallback}"`;
  const preset = list === "" && fallback !== undefined && mark === "" && isQuotable(fallback) ? `=${quoted}` : "";
  const value = type === "integer" ? " <INT>" : type === "number" ? " <NUM>" : "";
  return `@${kind} ${word ?? name.replace(/[^A-Za-z0-9_-]+/g, "_")}${mark}${list}${preset}${value} ${description}`;
}
