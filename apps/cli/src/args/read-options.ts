// Reads the options and operands of a command by its table, and says what is wrong with them.

import { parseArgs } from "node:util";
import { nearestWord } from "@ikigai/system";
import { type CommandSyntax, type Option, type Options, usageOf } from "./option.ts";
import { UsageError } from "./usage-error.ts";

interface ReadOptions<Spec extends Options> {
  /** Options without a value. */
  readonly flags: ReadonlySet<keyof Spec & string>;
  /** The values, in order; an option that is not repeatable has only its last one. */
  readonly values: { readonly [Name in keyof Spec & string]?: readonly string[] };
  readonly operands: readonly string[];
}

/**
 * Parses the options of a command line.
 *
 * @throws UsageError for an unknown option, a missing or invalid value, or a value where none is allowed.
 */
export function readOptions<const Spec extends Options>(args: readonly string[], spec: Spec): ReadOptions<Spec> {
  const { tokens } = parseArgs({
    args: withLongNames(args, spec).map((word) => (isText(word) ? `${textMark}${word}` : word)),
    options: Object.fromEntries(
      Object.entries(spec).map(([name, { short, value }]) => [
        name,
        { type: value === undefined ? "boolean" : "string", ...(short !== undefined && { short }) } as const,
      ]),
    ),
    strict: false,
    tokens: true,
  });
  const flags = new Set<string>();
  const values: Record<string, string[]> = {};
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") operands.push(unmarked(token.value));
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(spec, token.name) ? spec[token.name] : undefined;
    const value = checked(option, token.rawName, token.value && unmarked(token.value), spec);
    if (value === undefined) flags.add(token.name);
    else values[token.name] = option?.repeated ? [...(values[token.name] ?? []), value] : [value];
  }
  return { flags, values: values as unknown as ReadOptions<Spec>["values"], operands };
}

/** Writes `-p=hi` as `--print=hi`: Node takes the sign for an option, or for a part of the value. */
function withLongNames(args: readonly string[], spec: Options): readonly string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  return args.map((word, index) => {
    const [, letter, rest] = (index < end && /^-([A-Za-z])(=.*)$/s.exec(word)) || [];
    const name = Object.keys(spec).find((known) => letter !== undefined && spec[known]?.short === letter);
    return name === undefined ? word : `--${name}${rest}`;
  });
}

/** NUL cannot occur in a word of a command line. */
const textMark = "\0";

/** Text that begins with a dash: a to-do list, a negative number. No option's name has white space or begins with a digit. */
function isText(word: string): boolean {
  return /^-(?:[^=]*\s|\d)/.test(word);
}

function unmarked(word: string): string {
  return word.startsWith(textMark) ? word.slice(textMark.length) : word;
}

function checked(option: Option | undefined, name: string, value: string | undefined, spec: Options) {
  if (option === undefined) {
    const names = Object.keys(spec).map((known) => `--${known}`);
    throw new UsageError(`Unknown option ${JSON.stringify(name)}.${known(name, spec)}`, {
      got: name,
      known: names,
    });
  }
  if (option.value === undefined) {
    if (value !== undefined) throw new UsageError(`${name} takes no value, got ${JSON.stringify(value)}.`);
    return undefined;
  }
  // Node takes any next word as the value. One that looks like an option means that the value is missing; "-" is stdin.
  if (value === undefined || /^--?[a-z]/.test(value))
    throw new UsageError(`Missing the value of ${name} ${option.value}${value === undefined ? "" : `, got ${value}`}.`);
  if (option.oneOf && !option.oneOf.includes(value))
    throw new UsageError(`Expected ${name} to be one of ${option.oneOf.join(", ")}, got ${JSON.stringify(value)}.`, {
      got: value,
      known: option.oneOf,
    });
  return value;
}

/** More options are not listed: the help explains them. */
const maxListed = 6;

/** The options that there are, unless one of them is meant. */
function known(wanted: string, spec: Options): string {
  const options = Object.keys(spec).map((name) => `--${name}`);
  if (options.length > maxListed || nearestWord(wanted, options) !== undefined) return "";
  const names = Object.entries(spec).map(([name, { value }]) => `--${name}${value === undefined ? "" : ` ${value}`}`);
  return names.length === 0 ? " This command takes no options." : ` Known: ${names.join(", ")}.`;
}

/**
 * The operands of a command, after checking their number.
 *
 * @throws UsageError if there are too few or too many.
 */
export function readOperands(operands: readonly string[], syntax: CommandSyntax): readonly string[] {
  const min = syntax.operands.filter(({ isOptional }) => !isOptional).length;
  const max = syntax.operands.some(({ isRepeated }) => isRepeated) ? Number.POSITIVE_INFINITY : syntax.operands.length;
  if (operands.length >= min && operands.length <= max) return operands;
  const missing = operands.length < min ? syntax.operands[operands.length] : undefined;
  const problem = missing ? `Missing ${missing.name}` : `Unexpected ${JSON.stringify(operands[max])}`;
  throw new UsageError(`${problem}. Usage: ${usageOf(syntax)}`);
}
