// What a program takes, from a usage spec (https://usage.jdx.dev): a file of KDL, comments of a script, or a task of mise. In reading
// order: the nodes of a spec, its commands, and the KDL that they are written in.

import { oneLine, type Parameter, type WrappedCommand } from "./source.ts";

/** A node of KDL. */
interface Node {
  readonly name: string;
  readonly values: readonly string[];
  readonly properties: Readonly<Record<string, string>>;
  readonly children: readonly Node[];
}

/** What a spec says. */
interface UsageSpec {
  /** The program that it describes. */
  readonly bin: string | undefined;
  /** Its commands, without those that have others. A command below another has both words, with a space. */
  readonly commands: readonly WrappedCommand[];
  /** What is left out, one sentence each. */
  readonly notes: readonly string[];
}

/** Reads a usage spec. @throws KdlProblem if it is no KDL. */
export function readUsage(text: string, fallback: string): UsageSpec {
  const nodes = new KdlReader(text).nodes();
  const bin = firstOf(nodes, "bin") ?? firstOf(nodes, "name");
  const about = firstOf(nodes, "about") ?? firstOf(nodes, "long_about") ?? fallback;
  return { bin, commands: commandsIn(nodes, { words: [], about, inherited: [] }), notes: notesOn(nodes) };
}

/** The lines of a script that are a usage spec. */
export function usageComments(text: string): string | undefined {
  const lines = [...text.matchAll(/^(?:#|\/\/|--)[ \t]?USAGE\b[ \t]?(.*)$/gm)].map(([, line = ""]) => line);
  return lines.length === 0 ? undefined : lines.join("\n");
}

interface Level {
  readonly words: readonly string[];
  readonly about: string;
  /** The global flags of the commands above. */
  readonly inherited: readonly Parameter[];
}

function commandsIn(nodes: readonly Node[], { words, about, inherited }: Level): WrappedCommand[] {
  const isShown = ({ properties }: Node) => !isTrue(properties.hide);
  const below = nodes.filter((node) => node.name === "cmd" && isShown(node));
  const flags = nodes.filter((node) => node.name === "flag" && isShown(node));
  const global = flags.filter(({ properties }) => isTrue(properties.global)).flatMap(flagOf);
  const known = [...inherited, ...global];
  if (below.length > 0)
    return below.flatMap((node) => {
      const text = node.properties.help ?? firstOf(node.children, "help") ?? node.values[0] ?? "";
      return commandsIn(node.children, { words: [...words, node.values[0] ?? ""], about: text, inherited: known });
    });
  const own = flags.flatMap(flagOf);
  const operands = nodes.filter((node) => node.name === "arg" && isShown(node)).map(argOf);
  const parameters = [...own, ...inherited.filter(({ name }) => own.every((one) => one.name !== name)), ...operands];
  return [{ ...(words.length > 0 && { word: words.join(" ") }), description: oneLine(about), parameters }];
}

/** What is left out, since a call passes a value as the next word. */
function notesOn(nodes: readonly Node[]): string[] {
  return nodes.flatMap((node) => {
    if (node.name !== "flag") return notesOn(node.children);
    const [word = "A flag"] = wordsOf(node);
    return needsEquals(node) && !isTrue(node.properties.hide)
      ? [`${word} is left out: it takes its value only after =.`]
      : [];
  });
}

function needsEquals({ properties }: Node): boolean {
  return isTrue(properties.require_equals);
}

/** The words of a flag; the one that is passed is first. */
function wordsOf({ values: [spelled = ""] }: Node): readonly string[] {
  const words = spelled.match(/(?<![\w<[])--?[A-Za-z0-9](?:[\w.-]*\w)?/g) ?? [];
  return words.toSorted((one, other) => Number(other.startsWith("--")) - Number(one.startsWith("--")));
}

function firstOf(nodes: readonly Node[], name: string): string | undefined {
  return nodes.find((node) => node.name === name)?.values[0];
}

function isTrue(value: string | undefined): boolean {
  return value === "true";
}

/** `flag "-f --force <value>"`; the value may also be a child. None for one that only prints help, or that cannot be passed. */
function flagOf(node: Node): Parameter[] {
  const {
    values: [spelled = ""],
    properties,
    children,
  } = node;
  const [word] = wordsOf(node);
  if (word === undefined || word === "--help" || word === "--version" || needsEquals(node)) return [];
  const argument =
    /[<[][^>\]]+[>\]](?:…|\.\.\.)?/.exec(spelled)?.[0] ?? children.find(({ name }) => name === "arg")?.values[0];
  const name = word.replace(/^-+/, "");
  const description = oneLine(textOf(properties, children) ?? `The option ${word}`);
  const isMany = isTrue(properties.var) || /…|\.\.\./.test(spelled);
  if (argument === undefined) return [{ name, word, type: isTrue(properties.count) ? "count" : "flag", description }];
  const value = children.find((node) => node.name === "arg");
  return [
    {
      ...{ name, word, type: "string", description },
      ...(isMany && { isList: true as const }),
      ...(isTrue(properties.required) && { isRequired: true as const }),
      ...limits(properties, [...children, ...(value?.children ?? [])], isMany),
    },
  ];
}

/** `arg "<file>"`, `arg "[files]..."`. */
function argOf({ values: [spelled = ""], properties, children }: Node): Parameter {
  const isMany = isTrue(properties.var) || /(?:…|\.\.\.)$/.test(spelled);
  const isRequired = properties.required === undefined ? !spelled.startsWith("[") : isTrue(properties.required);
  const name = spelled.replace(/[^\w-]+/g, "");
  return {
    ...{ name, type: "string", description: oneLine(textOf(properties, children) ?? name) },
    ...(isMany && { isList: true as const }),
    ...(isRequired && properties.default === undefined && { isRequired: true as const }),
    ...limits(properties, children, isMany),
  };
}

function textOf(properties: Node["properties"], children: readonly Node[]): string | undefined {
  return properties.help ?? properties.long_help ?? firstOf(children, "help") ?? firstOf(children, "long_help");
}

function limits(
  properties: Node["properties"],
  children: readonly Node[],
  isMany: boolean,
): Partial<Pick<Parameter, "choices" | "fallback">> {
  const choices = children.find(({ name }) => name === "choices")?.values;
  const fallback = properties.default ?? firstOf(children, "default");
  return { ...(choices && { choices }), ...(fallback !== undefined && !isMany && { fallback }) };
}

/** A text that is no KDL. */
export class KdlProblem extends Error {}

/** Reads KDL, version 1 and 2: what usage specs need, so numbers and keywords are texts. */
class KdlReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The nodes up to the end, or to the `}` of a block. */
  nodes(isBlock = false): Node[] {
    const nodes: Node[] = [];
    for (;;) {
      this.#take(/(?:[\s;\uFEFF]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y);
      if (this.#at >= this.#text.length || (isBlock && this.#take(/\}/y) !== undefined)) return nodes;
      const isLeftOut = this.#take(/\/-\s*/y) !== undefined;
      const node = this.#node();
      if (!isLeftOut) nodes.push(node);
    }
  }

  #node(): Node {
    const name = this.#value();
    const values: string[] = [];
    const properties: Record<string, string> = {};
    let children: Node[] = [];
    for (;;) {
      this.#take(/(?:[ \t\u00A0]|\\[ \t]*(?:\/\/[^\n]*)?\r?\n|\/\*[\s\S]*?\*\/)*/y);
      if (
        this.#at >= this.#text.length ||
        this.#take(/\r?\n|;|\/\/[^\n]*/y) !== undefined ||
        this.#text[this.#at] === "}"
      )
        return { name, values, properties, children };
      const isLeftOut = this.#take(/\/-\s*/y) !== undefined;
      if (this.#take(/\{/y) !== undefined) {
        const block = this.nodes(true);
        if (!isLeftOut) children = block;
        continue;
      }
      const value = this.#value();
      const isProperty = this.#take(/[ \t]*=[ \t]*/y) !== undefined;
      const given = isProperty ? this.#value() : value;
      if (isLeftOut) continue;
      if (isProperty) properties[value] = given;
      else values.push(given);
    }
  }

  #value(): string {
    this.#take(/\([^)]*\)\s*/y);
    const raw = this.#take(/r?(#*)("""|")[\s\S]*?\2\1(?!#)/y, /^(?:r#*"|#+")/);
    if (raw !== undefined) return raw.replace(/^r?#*(?:"""|")|(?:"""|")#*$/g, "");
    const block = this.#take(/"""[\s\S]*?"""/y);
    if (block !== undefined) return dedented(block.slice(3, -3));
    const quoted = this.#take(/"(?:[^"\\]|\\[\s\S])*"/y);
    if (quoted !== undefined) return unescaped(quoted.slice(1, -1));
    const bare = this.#take(/#?[^\s;{}()[\]/\\"#=]+/y);
    if (bare !== undefined) return bare.replace(/^#/, "");
    const line = this.#text.slice(0, this.#at).split("\n").length;
    throw new KdlProblem(`line ${line}: expected a name or a value`);
  }

  /** Takes what the pattern finds here. @param only taken only if what follows begins like this. */
  #take(pattern: RegExp, only?: RegExp): string | undefined {
    if (only && !only.test(this.#text.slice(this.#at, this.#at + 8))) return undefined;
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", s: " ", b: "\b", f: "\f" };

function unescaped(text: string): string {
  return text.replace(/\\(?:u\{([0-9A-Fa-f]{1,6})\}|(\s+)|([\s\S]))/g, (_, code, space, one = "") =>
    code ? String.fromCodePoint(Number.parseInt(code, 16)) : space ? "" : (escapes[one] ?? one),
  );
}

/** The lines of a text of several, without the indentation of the last one. */
function dedented(text: string): string {
  const indent = /\n([ \t]*)$/.exec(text)?.[1] ?? "";
  const lines = text.replace(/^\r?\n|\n[ \t]*$/g, "").split("\n");
  return unescaped(lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)).join("\n"));
}
