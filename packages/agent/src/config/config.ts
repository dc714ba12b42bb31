// The user's configuration as a value: its type, its problems as people read them, and the error if it cannot be used. Then the
// place of a problem in the file: its line is quoted without anything that may be a key.

import { IkigaiError } from "@ikigai/core/errors";
import { providerNames, type StoredKeys } from "@ikigai/models";
import { createScanner } from "jsonc-parser/lib/esm/impl/scanner.js";
import { configShape, type Shape, type ValueOf } from "./config-shape.ts";

/** The user's `config.json`. Projects have none: no project sets a URL, a key or a permission. */
export type Config = ValueOf<typeof configShape> & {
  /** Keys that `ikigai login` has stored; they do not come from this file. */
  readonly storedKeys?: StoredKeys;
};

/** A place in a file. */
export interface ConfigPlace {
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 units. */
  readonly column: number;
  /** The line, and a second line with a caret below the place. */
  readonly excerpt: string;
}

/** A problem with the configuration: where it is, what was expected, what was found and what to do. */
export interface ConfigProblem {
  /** The file. */
  readonly path: string;
  /** The key concerned, if any. */
  readonly key?: string;
  /** What was expected, what was found and what to do. */
  readonly message: string;
  /** Where it is, if the file could be read. */
  readonly place?: ConfigPlace;
  /** Whether nothing may run: the file cannot be read, or a limit in it is invalid. */
  readonly isFatal: boolean;
}

/** The contents of `config.json`. */
export interface LoadedConfig {
  readonly path: string;
  readonly config: Config;
  /** Problems whose settings are missing from `config`. */
  readonly problems: readonly ConfigProblem[];
  /** Whether the file holds a provider key, so that only the user may read it. */
  readonly holdsKey: boolean;
}

/** Formats one problem for people: `FILE:LINE:COLUMN: MESSAGE`, followed by the line and a caret. */
export function renderConfigProblem({ path, key, place, message }: ConfigProblem): string {
  const where = place ? `${path}:${place.line}:${place.column}` : `${path}${key === undefined ? "" : `, ${key}`}`;
  const excerpt = place ? `\n${place.excerpt.replace(/^/gm, "  ")}` : "";
  return `${where}: ${message}${excerpt}`;
}

/**
 * The configuration cannot be used: it cannot be read, or its sandbox, permission or tools settings are invalid. Continuing
 * would drop a limit that the user has set.
 */
export class ConfigError extends IkigaiError<"config"> {
  /** Always `ConfigError`. */
  override readonly name = "ConfigError";
  /** Every problem that was found. */
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const list = problems.map(renderConfigProblem).join("\n");
    super(
      "config",
      `The configuration cannot be used, so nothing was run.\n${list}\nCheck it again with: ikigai doctor`,
    );
    this.problems = problems;
  }
}

/** How much of a line is shown, in characters: indented, it fits a screen of 80 columns. Broken, it would not be above the caret. */
const maxShown = 74;

/** What is read of a parsed text: published types must not need the parser's. */
interface JsonNode {
  readonly type: string;
  readonly offset: number;
  readonly value?: unknown;
  readonly children?: readonly JsonNode[];
}

/**
 * Returns the place of an offset in the file, and its line with a caret below; an empty line is never shown. Provider keys and
 * passwords are not shown.
 *
 * @param root the parsed text, if it can be parsed: tells the names of settings from their values.
 */
export function placeOf(text: string, found: number, root?: JsonNode): ConfigPlace {
  const offset = onSomeLine(text, found);
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const nextLine = text.indexOf("\n", offset);
  const end = nextLine === -1 ? text.length : nextLine;
  const { shown, mark } = mayHoldSecrets(text)
    ? masked(text, { start, end, offset, names: new Set(nameOffsets(root)) })
    : plain(text, start, end, offset);
  const from = shown.length <= maxShown ? 0 : Math.max(0, Math.min(mark - maxShown / 2, shown.length - maxShown));
  const line = shown.slice(from, from + maxShown);
  const before = from > 0 ? "…" : "";
  const after = from + maxShown < shown.length ? "…" : "";
  return {
    line: text.slice(0, start).split("\n").length,
    column: offset - start + 1,
    excerpt: `${before}${line.trimEnd()}${after}\n${" ".repeat(before.length + mark - from)}^`,
  };
}

/** Moves an offset on an empty line, often the last one, to the end of the text before it: an empty line explains nothing. */
function onSomeLine(text: string, offset: number): number {
  const isInText =
    text
      .slice(text.lastIndexOf("\n", offset - 1) + 1)
      .split("\n", 1)[0]
      ?.trim() !== "";
  const before = text.slice(0, offset).trimEnd();
  return isInText || before === "" ? offset : before.length;
}

function mayHoldSecrets(text: string): boolean {
  return /providers|api_?key/i.test(text);
}

interface ShownLine {
  readonly shown: string;
  /** The caret's column in it. */
  readonly mark: number;
}

function plain(text: string, start: number, end: number, offset: number): ShownLine {
  return { shown: text.slice(start, end).replace(/[\t\r]/g, " "), mark: offset - start };
}

interface MaskedLine {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  /** Where names that may be shown begin. */
  readonly names: ReadonlySet<number>;
}

/** Shows names, and words that the configuration itself defines: in a file that does not parse, any other word may be a key. */
function masked(text: string, { start, end, offset, names }: MaskedLine): ShownLine {
  const scanner = createScanner(text);
  let shown = "";
  let mark: number | undefined;
  for (let at = 0; at < end; ) {
    scanner.scan();
    const length = scanner.getTokenLength();
    if (length === 0) break;
    const next = at + length;
    if (next > start) {
      if (mark === undefined && offset < next) mark = shown.length;
      const token = text.slice(Math.max(at, start), Math.min(next, end));
      shown += names.has(at) ? token : shownToken(token);
    }
    at = next;
  }
  return { shown, mark: mark ?? shown.length };
}

/** The offsets of the names in a parsed text, except below `providers` and unknown names: a key may be there by mistake. */
function nameOffsets(node: JsonNode | undefined): number[] {
  return (node?.type === "object" ? (node.children ?? []) : []).flatMap(({ children: [name, value] = [] }) => {
    const isOpen = name !== undefined && name.value !== "providers" && knownWords.has(String(name.value));
    return [...(name ? [name.offset] : []), ...(isOpen ? nameOffsets(value) : [])];
  });
}

/** Every setting's name, and the words used in values. */
const knownWords = new Set([
  ...settingNames(configShape),
  ...providerNames,
  "allow",
  "ask",
  "deny",
  "true",
  "false",
  "null",
]);

function settingNames(shape: Shape): string[] {
  if (shape.type === "object")
    return Object.entries(shape.keys).flatMap(([name, inner]) => [name, ...settingNames(inner)]);
  return shape.type === "map" ? settingNames(shape.values) : [];
}

function shownToken(token: string): string {
  if (token.trim() === "") return token.replace(/[\t\r]/g, " ");
  if (/^[{}[\],:]$/.test(token)) return token;
  return knownWords.has(token.replace(/^"(.*)"$/s, "$1")) ? token : "…";
}
