// The call of a plain tool: arguments as the command line and the variables that its comments describe.

import { argumentsAsRead } from "./argument-aliases.ts";
import { type JsonObject, type JsonValue, kindOf } from "./json.ts";
import type { PlainCall, PlainParameter } from "./plain-tool.ts";

/** The longest word or variable that Linux passes to a program, in bytes, with the name and `=` of a variable. */
const maxWordBytes = 131_000;

/** What the program of a plain tool gets for a call. */
export interface PlainInput {
  /** Its arguments, as a person would type them: `--name Ada --verbose -- FILE`. */
  readonly words: readonly string[];
  /** `argc_NAME` for each parameter that has a value; values of a list are joined by line ends. */
  readonly variables: Readonly<Record<string, string>>;
  /** For a script that ends with `eval "$(argc --argc-eval "$0" "$@")"`: what argc would print. */
  readonly script: string;
  /** The names of arguments that the tool does not have. */
  readonly ignored: readonly string[];
}

/**
 * Turns the arguments of a call into what the program gets, or says why the call is refused: the end of a sentence that begins with
 * the parameter. Values never pass a shell. Never throws.
 *
 * @param plain how the tool is called.
 * @param schema of its parameters.
 * @param args of the call, as the model wrote them.
 *
 * @example
 * plainInput(tool.plain, tool.schema.parameters, { name: "Ada" });
 * // { words: ["--name", "Ada"], variables: { argc_name: "Ada" }, script: "argc_name='Ada'\nmain", ignored: [] }
 */
export function plainInput(
  { command, parameters }: PlainCall,
  schema: JsonObject,
  args: JsonObject,
): PlainInput | { readonly problem: string } {
  const read = argumentsAsRead(underOwnNames(args, parameters), { parameters: schema, aliases: {} });
  const given: Given[] = [];
  for (const parameter of parameters) {
    const values = valuesOf(parameter, read[parameter.name] ?? null);
    if (typeof values === "string") return { problem: `${parameter.name}: ${values}` };
    given.push({ parameter, values });
  }
  const operands = given.flatMap(({ parameter, values }) => (parameter.word === undefined ? values : []));
  const options = given.flatMap(optionWords);
  const start = command === undefined ? [] : [command];
  return {
    words: [...start, ...options, ...(operands.length > 0 ? ["--", ...operands] : [])],
    variables: Object.fromEntries(
      given.flatMap(({ parameter, values }) =>
        values.length > 0 ? [[`argc_${parameter.name}`, values.join("\n")] as const] : [],
      ),
    ),
    script: [...given.flatMap(assignment), [command ?? "main", ...operands.map(shellQuoted)].join(" ")].join("\n"),
    ignored: Object.keys(read).filter((name) => !parameters.some((parameter) => parameter.name === name)),
  };
}

/** The longest text of all arguments that is passed as a variable, in bytes. */
const maxArgumentsBytes = 100_000;

/** What scripts that use argc evaluate, where argc is not installed: a function for bash, as bash exports it. */
const argcFunction = { "BASH_FUNC_argc%%": `() { printf '%s\\n' "$IKIGAI_ARGC"; }` };

/**
 * All variables of a call, besides those of any tool. Never throws.
 *
 * @param input what the program gets.
 * @param args of the call, as the model wrote them.
 * @param hasArgc whether argc is installed; without it, the host answers in its place.
 */
export function plainVariables(
  { variables, script }: PlainInput,
  args: JsonObject,
  hasArgc: boolean,
): Readonly<Record<string, string>> {
  const text = JSON.stringify(args);
  const fits = (one: string) => new TextEncoder().encode(one).length <= maxArgumentsBytes;
  return {
    ...variables,
    // The name under which scripts written for llm-functions print their answer.
    LLM_OUTPUT: "/dev/stdout",
    ...(fits(text) && { IKIGAI_ARGUMENTS: text }),
    ...(!hasArgc && fits(script) && { ...argcFunction, IKIGAI_ARGC: script }),
  };
}

interface Given {
  readonly parameter: PlainParameter;
  /** `1` for a flag that is set; how often, for one that counts. Its fallback, if it is not given. */
  readonly values: readonly string[];
}

/** Models also write the option itself: `--dry-run`, `dry-run`. */
function underOwnNames(args: JsonObject, parameters: readonly PlainParameter[]): JsonObject {
  const own = new Set(parameters.map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => {
      const plain = key.replace(/^-+/, "").replace(/[^A-Za-z0-9]+/g, "_");
      return [own.has(key) || !own.has(plain) || Object.hasOwn(args, plain) ? key : plain, value];
    }),
  );
}

/** The values of a parameter as text, or what is wrong with them. */
function valuesOf(parameter: PlainParameter, value: JsonValue): readonly string[] | string {
  const { type, isList, isRequired, fallback } = parameter;
  if (value === null) {
    if (isRequired) return "is required";
    return fallback === undefined ? [] : [fallback];
  }
  if (type === "flag") return typeof value === "boolean" ? (value ? ["1"] : []) : wrong("true or false", value);
  if (type === "count") {
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0) return wrong("a number from 0", value);
    return value === 0 ? [] : [String(value)];
  }
  if (!isList) return textOf(parameter, value);
  if (!Array.isArray(value)) return wrong("a list", value);
  if (isRequired && value.length === 0) return "expected at least one value, got none";
  const texts: string[] = [];
  for (const one of value) {
    const text = textOf(parameter, one);
    if (typeof text === "string") return text;
    texts.push(...text);
  }
  return texts;
}

/** The text of one value in a list, or what is wrong with it. */
function textOf({ type, choices }: PlainParameter, value: JsonValue): readonly [string] | string {
  const isNumber = type === "integer" || type === "number";
  if (isNumber && typeof value !== "number") return wrong("a number", value);
  if (type === "integer" && !Number.isInteger(value)) return wrong("a whole number", value);
  if (!isNumber && typeof value !== "string") return wrong("a text", value);
  const text = String(value);
  if (text.includes("\0")) return "has a NUL, which no program's argument can have";
  if (text.length * 3 > maxWordBytes && new TextEncoder().encode(text).length > maxWordBytes)
    return `is longer than ${maxWordBytes} bytes, which no program's argument can be; write it to a file and give its path`;
  if (choices && !choices.includes(text)) return `expected ${choices.join(", ")}, got ${JSON.stringify(text)}`;
  return [text];
}

function wrong(expected: string, value: JsonValue): string {
  const isShort = typeof value === "number" || typeof value === "boolean" || typeof value === "string";
  return `expected ${expected}, got ${isShort ? JSON.stringify(value).slice(0, 60) : kindOf(value)}`;
}

/** A value that begins with a dash would be taken for an option. */
function optionWords({ parameter: { word, type }, values: [...values] }: Given): string[] {
  if (word === undefined) return [];
  if (type === "flag") return values.map(() => word);
  if (type === "count") return Array.from({ length: Number(values[0] ?? 0) }, () => word);
  return values.flatMap((value) =>
    value.startsWith("-") && word.startsWith("--") ? [`${word}=${value}`] : [word, value],
  );
}

/** What argc assigns. A script's own function may compute a default. */
function assignment({ parameter: { name, isList, computed }, values }: Given): string[] {
  if (values.length === 0) return computed === undefined ? [] : [`argc_${name}="$(${computed})"`];
  return [
    isList ? `argc_${name}=(${values.map(shellQuoted).join(" ")})` : `argc_${name}=${shellQuoted(values[0] ?? "")}`,
  ];
}

function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
