// Arguments of a call become words of a program, and that program reads the same arguments from them: with the options of 200 programs.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, type JsonValue, type PlainTool, plainInput, readPlainTools } from "@ikigai/protocol";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { readSource } from "../src/commands/tool/wrap/read-source.ts";
import { tagsOf } from "../src/commands/tool/wrap/source.ts";
import { ikigai, some } from "./ikigai.ts";

/** Number of calls of each program. */
const runs = inject("isThorough") ? 30 : 3;

/** An option as `--help` spells it. */
interface Option {
  readonly words: readonly string[];
  /** What it takes: nothing, the next word or what is after `=`, or only the latter. */
  readonly takes: "nothing" | "value" | "glued";
}

interface Program {
  readonly name: string;
  readonly options: readonly Option[];
}

const text = readFileSync(join(import.meta.dirname, "fixtures/debian-options.txt"), "utf8");
const programs: readonly Program[] = text
  .split(/^(?=\S)/m)
  .filter((part) => !part.startsWith("#"))
  .map((part) => {
    const [name = "", ...lines] = part.trim().split(/\n {2}/);
    return { name, options: withoutDoubles(lines.map(optionOf)) };
  });

/** `-o, --output=FILE`, `--color[=WHEN]`. */
function optionOf(line: string): Option {
  const words = [...line.matchAll(/(?<![^\s,|/])--?[A-Za-z0-9](?:(?<=--.)[\w.-]*\w)?/g)].map(([word]) => word);
  const rest = words.reduce((left, word) => left.replace(word, ""), line).replace(/[\s,|/]+(?=$|\s)/g, "");
  return { words, takes: rest.trim() === "" ? "nothing" : /^(?:.*[\s,])?\[=|^\[/.test(rest) ? "glued" : "value" };
}

/** Parameters are named after the option without its signs: two that differ in these alone cannot both be there. */
function withoutDoubles(options: readonly Option[]): Option[] {
  const key = (option: Option) =>
    wordOf(option)
      .replace(/^-+/, "")
      .replace(/[^A-Za-z0-9]+/g, "_");
  return options.filter((one, index) => options.findIndex((other) => key(other) === key(one)) === index);
}

/** The word that the wrapper passes. */
function wordOf({ words }: Option): string {
  return words.find((word) => word.startsWith("--")) ?? words[0] ?? "";
}

/** What a value may be: what a shell or a reader of options would take for something else, and any text. */
const values = fc.oneof(
  fc.constantFrom("", " ", "-", "--", "-x", "--help", "--no=1", "=", "a=b", "a b", "'", '"', "\\", "$(x)", "`x`", "*"),
  fc.constantFrom(
    "\n",
    "a\nb\n",
    "\t",
    "é",
    "e\u0301",
    "漢字 👩‍👩‍👧",
    "true",
    "null",
    "5",
    "-5",
    "1.50",
    "[1]",
    '{"a":1}',
    "@file",
  ),
  fc.string({ unit: "binary" }).filter((one) => !one.includes("\0")),
);

/** One way in which a spec may declare an option, and a value for a call. */
interface Given {
  readonly option: Option;
  /** Properties and children of its node. */
  readonly node: string;
  /** `undefined` if the call leaves it out. */
  readonly value: JsonValue | undefined;
  /** What the program is to read: a value for each time; `true` for an option that takes nothing. */
  readonly read: readonly (string | true)[];
}

const times = (count: number) => Array.from({ length: count }, () => true as const);

function givenOf(option: Option): fc.Arbitrary<Given> {
  const of = (node: string, value: JsonValue | undefined, read: Given["read"]): Given => ({
    option,
    node,
    value,
    read,
  });
  const left = fc.constant(of("", undefined, []));
  if (option.takes === "glued") return left.map((one) => ({ ...one, node: " require_equals=#true" }));
  if (option.takes === "nothing")
    return fc.oneof(
      left,
      fc.boolean().map((isSet) => of("", isSet, times(isSet ? 1 : 0))),
      fc.nat(3).map((count) => of(" count=#true", count, times(count))),
    );
  return fc.oneof(
    left,
    values.map((value) => of("", value, [value])),
    values.map((value) => of(" required=#true", value, [value])),
    values.map((value) => of(' default="a -b"', value, [value])),
    fc.constant(of(' default="a -b"', undefined, ["a -b"])),
    fc.array(values, { maxLength: 4 }).map((list) => of(" var=#true", list, list)),
    fc.constantFrom("one", "--two").map((value) => of(' { choices "one" "--two"; }', value, [value])),
  );
}

/** The plain tool that `ikigai tool wrap` makes of these. */
function specOf({ name }: Program, given: readonly Given[]): string {
  const flags = given.map(({ option: { words, takes }, node }) => {
    const spelled = `${words.join(" ")}${takes === "nothing" ? "" : takes === "value" ? " <X>" : " [X]"}`;
    return `flag "${spelled}" help="-h, --help=<X> [=it] *"${node}`;
  });
  return [`bin "${name}"`, ...flags, 'arg "[operands]..."', ""].join("\n");
}

function wrapped(program: Program, given: readonly Given[]): PlainTool {
  const source = readSource(`${program.name}.usage.kdl`, specOf(program, given));
  const reading = readPlainTools(tagsOf(source).join("\n"), "tool");
  if (!reading || "problem" in reading || !reading.tools[0]) throw new Error(JSON.stringify(reading));
  return reading.tools[0];
}

/** What a call of the tool has, by the names of its parameters. */
function argumentsOf({ plain }: PlainTool, given: readonly Given[], operands: readonly string[]): JsonObject {
  const options = given.flatMap(({ option, value }) => {
    const name = plain.parameters.find(({ word }) => word === wordOf(option))?.name;
    return value === undefined || name === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries([...options, ["operands", operands]]);
}

/** What was read of a command line. */
interface CommandLine {
  readonly options: Readonly<Record<string, readonly (string | true)[]>>;
  readonly operands: readonly string[];
}

/** Reads a command line as `getopt_long` does, with operands anywhere. */
function readCommandLine(line: readonly string[], options: readonly Option[]): CommandLine {
  const read: Record<string, (string | true)[]> = {};
  const operands: string[] = [];
  const left = [...line];
  const add = (word: string, glued: string | undefined): string => {
    const option = options.find(({ words }) => words.includes(word));
    if (!option) throw new Error(`unrecognized option ${word}`);
    const isOwn = option.takes !== "nothing" && glued !== undefined;
    const next = isOwn ? glued : option.takes === "value" ? left.shift() : true;
    if (next === undefined) throw new Error(`${word} requires an argument`);
    if (glued !== undefined && !isOwn && word.startsWith("--")) throw new Error(`${word} allows no argument`);
    read[wordOf(option)] = [...(read[wordOf(option)] ?? []), next];
    return isOwn ? "" : (glued ?? "");
  };
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === "--") return { options: read, operands: [...operands, ...left] };
    const [, long, , value] = /^(--[^=]+)(=([\s\S]*))?$/.exec(word) ?? [];
    if (long !== undefined) add(long, value);
    else if (/^-./s.test(word))
      for (let letters = word.slice(1); letters !== ""; )
        letters = add(`-${letters[0]}`, letters.length > 1 ? letters.slice(1) : undefined);
    else operands.push(word);
  }
  return { options: read, operands };
}

/** What the program is to read. */
function expected(given: readonly Given[], operands: readonly string[]): CommandLine {
  const set = given.filter(({ read }) => read.length > 0).map(({ option, read }) => [wordOf(option), read] as const);
  return { options: Object.fromEntries(set), operands };
}

const calls = ({ options }: Program) => fc.tuple(fc.tuple(...options.map(givenOf)), fc.array(values, { maxLength: 3 }));

test("the programs have options of each kind", () => {
  const all = programs.flatMap(({ options }) => options);
  const count = (wanted: Option["takes"]) => all.filter(({ takes }) => takes === wanted).length;
  expect([programs.length, count("nothing"), count("value"), count("glued")]).toEqual([200, 2_440, 1_282, 93]);
});

test.each(programs)("$name reads the arguments", (program) => {
  fc.assert(
    fc.property(calls(program), ([given, operands]) => {
      const tool = wrapped(program, given);
      const passable = program.options.filter(({ takes }) => takes !== "glued");
      expect(tool.plain.parameters.flatMap(({ word }) => word ?? [])).toEqual(passable.map(wordOf));
      const input = plainInput(tool.plain, tool.schema.parameters, argumentsOf(tool, given, operands));
      if ("problem" in input) throw new Error(input.problem);
      expect(readCommandLine(input.words, program.options)).toEqual(expected(given, operands));
    }),
    { numRuns: runs },
  );
});

/** Prints its arguments as they came. */
const program = `#!${process.execPath}\nconsole.log(JSON.stringify({ argv: process.argv.slice(2) }));\n`;

test.each(
  some(
    5,
    programs.filter((_, index) => index % 8 === 0),
  ),
)("$name, wrapped and called, reads the arguments", async ({ options }) => {
  const cwd = await tempDir({ show: { content: program, mode: 0o755 } });
  const run = async (...words: string[]) => ikigai(["tool", ...words], { cwd, env: { HOME: cwd } });
  const real = { name: join(cwd, "show"), options };
  await fc.assert(
    fc.asyncProperty(calls(real), async ([given, operands]) => {
      writeFileSync(join(cwd, "try.usage.kdl"), specOf(real, given));
      const { stderr } = await run("wrap", "try.usage.kdl", "--yes");
      const glued = options.filter(({ takes }) => takes === "glued").map(wordOf);
      expect(stderr).toBe(glued.map((word) => `${word} is left out: it takes its value only after =.\n`).join(""));
      const args = argumentsOf(wrapped(real, given), given, operands);
      const { result } = JSON.parse((await run("call", "try", JSON.stringify(args))).stdout);
      expect(readCommandLine(result.argv, options)).toEqual(expected(given, operands));
    }),
    { numRuns: 1, endOnFailure: true },
  );
});

test("flags of a usage spec whose word has an ellipsis are lists", () => {
  const source = readSource("x.usage.kdl", 'bin "x"\nflag "-i --include... <pattern>"\n');
  expect(source.commands[0]?.parameters).toMatchObject([{ word: "--include", type: "string", isList: true }]);
});
