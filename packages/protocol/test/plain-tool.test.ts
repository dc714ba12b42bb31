import { expect, test } from "vitest";
import { type JsonObject, type PlainTool, plainInput, readPlainTools } from "../src/index.ts";

const script = (...lines: string[]) => `#!/bin/sh\n${lines.join("\n")}\n`;

function toolsOf(header: string, name = "demo"): readonly PlainTool[] {
  const reading = readPlainTools(header, name);
  if (!reading || "problem" in reading) throw new Error(JSON.stringify(reading));
  return reading.tools;
}

function toolOf(header: string): PlainTool {
  const [tool] = toolsOf(header);
  if (!tool) throw new Error("no tool");
  return tool;
}

/** What the program gets for a call. */
function inputOf(header: string, args: JsonObject) {
  const { plain, schema } = toolOf(header);
  return plainInput(plain, schema.parameters, args);
}

const every = script(
  "# @describe Show every kind of parameter",
  "# @option --text!              Some text",
  "# @option --kind![good|bad]    One of two",
  "# @option --size=10 <INT>      How many",
  "# @option --ratio <NUM>",
  "# @option --tag*               Labels",
  "# @option --id+ <INT>          Numbers",
  "# @option -o --out-file <FILE> Where to",
  "# @option --mode[=slow|fast]",
  "# @option -x <NAME>",
  "# @flag -n --dry-run           Change nothing",
  "# @flag -v --verbose*",
  "# @arg file!                   What to read",
  "# @arg more*",
);

test("tags become a JSON Schema", () => {
  const { schema, warnings, plain } = toolOf(every);
  expect(warnings).toEqual([]);
  expect(schema).toEqual({
    name: "demo",
    description: "Show every kind of parameter",
    parameters: {
      type: "object",
      properties: {
        text: { type: "string", description: "Some text" },
        kind: { type: "string", enum: ["good", "bad"], description: "One of two" },
        size: { type: "integer", description: "How many", default: 10 },
        ratio: { type: "number" },
        tag: { type: "array", items: { type: "string" }, description: "Labels" },
        id: { type: "array", items: { type: "integer" }, minItems: 1, description: "Numbers" },
        out_file: { type: "string", description: "Where to" },
        mode: { type: "string", enum: ["slow", "fast"], default: "slow" },
        x: { type: "string" },
        dry_run: { type: "boolean", description: "Change nothing" },
        verbose: { type: "integer", minimum: 0 },
        file: { type: "string", description: "What to read" },
        more: { type: "array", items: { type: "string" } },
      },
      required: ["text", "kind", "id", "file"],
    },
    ikigai: {},
  });
  expect(plain.isBare).toBeUndefined();
});

const required = { text: "t", kind: "good", id: [1], file: "f" };
const start = ["--text", "t", "--kind", "good", "--size", "10", "--id", "1", "--mode", "slow"];

test.each<[string, JsonObject, string[]]>([
  ["required ones and defaults", {}, [...start, "--", "f"]],
  ["a null as none", { ratio: null }, [...start, "--", "f"]],
  ["a flag", { dry_run: true }, [...start, "--dry-run", "--", "f"]],
  ["the option's own spelling", { "dry-run": true }, [...start, "--dry-run", "--", "f"]],
  ["a flag that is off", { dry_run: false }, [...start, "--", "f"]],
  ["a flag that counts", { verbose: 2 }, [...start, "--verbose", "--verbose", "--", "f"]],
  [
    "a short option",
    { x: "1" },
    ["--text", "t", "--kind", "good", "--size", "10", "--id", "1", "--mode", "slow", "-x", "1", "--", "f"],
  ],
  ["operands after --", { more: ["-a", "b c"] }, [...start, "--", "f", "-a", "b c"]],
  [
    "a number as text",
    { size: "7" },
    ["--text", "t", "--kind", "good", "--size", "7", "--id", "1", "--mode", "slow", "--", "f"],
  ],
  ["a value that looks like an option", { text: "-rf" }, ["--text=-rf", ...start.slice(2), "--", "f"]],
  ["shell signs as they are", { text: "$(x) `y` 'z'\n" }, ["--text", "$(x) `y` 'z'\n", ...start.slice(2), "--", "f"]],
])("a call has %s", (_, args, words) => {
  expect(inputOf(every, { ...required, ...args })).toMatchObject({ words });
});

test("lists are repeated as options, joined as variables, and arrays for argc", () => {
  const input = inputOf(every, { ...required, tag: ["a'b", "c"], unknown: 1 });
  expect(input).toMatchObject({
    variables: { argc_text: "t", argc_tag: "a'b\nc", argc_id: "1", argc_size: "10", argc_file: "f" },
    ignored: ["unknown"],
  });
  expect(input).toHaveProperty("script", expect.stringContaining("argc_tag=('a'\\''b' 'c')\n"));
  expect(input).toHaveProperty("script", expect.stringMatching(/\nmain 'f'$/));
});

test.each<[JsonObject, string]>([
  [{ text: null }, "text: is required"],
  [{ text: 1.5 }, "text: expected a text, got 1.5"],
  [{ text: "a\0b" }, "text: has a NUL, which no program's argument can have"],
  [{ text: "x".repeat(131_001) }, "text: is longer than 131000 bytes"],
  [{ kind: "ugly" }, 'kind: expected good, bad, got "ugly"'],
  [{ size: 1.5 }, "size: expected a whole number, got 1.5"],
  [{ size: "many" }, 'size: expected a number, got "many"'],
  [{ id: [] }, "id: expected at least one value, got none"],
  [{ tag: { a: 1 } }, "tag: expected a list, got an object"],
  [{ dry_run: "perhaps" }, 'dry_run: expected true or false, got "perhaps"'],
  [{ verbose: -1 }, "verbose: expected a number from 0, got -1"],
])("refuses a call: %#", (args, problem) => {
  expect(inputOf(every, { ...required, ...args })).toHaveProperty("problem", expect.stringContaining(problem));
});

test("a value of 131,000 bytes is the longest", () => {
  expect(inputOf(every, { ...required, text: "x".repeat(131_000) })).toHaveProperty("words");
});

test.each([
  ["#", "# @describe D\n# @option --a"],
  ["//", "// @describe D\n// @option --a"],
  ["--", "-- @describe D\n-- @option --a"],
  [";", ";; @describe D\n;; @option --a"],
  ["%", "% @describe D\n% @option --a"],
  ["a block", "/**\n * @describe D\n * @option --a */"],
  ["CRLF", "# @describe D\r\n# @option --a\r"],
])("reads comments with %s", (_, header) => {
  const { schema } = toolOf(header);
  expect(schema.description).toBe("D");
  expect(schema.parameters).toHaveProperty("properties", { a: { type: "string" } });
});

test("the lines below a tag continue it, up to an empty comment", () => {
  const { schema } = toolOf(
    script("# @describe One", "# two", "#", "# not this", "# @option --a First", "#   second", "x=1"),
  );
  expect(schema.description).toBe("One\ntwo");
  expect(schema.parameters).toHaveProperty("properties", { a: { type: "string", description: "First\nsecond" } });
});

test("@meta and @env declare what a host grants", () => {
  const header = script(
    "# @describe D",
    "# @env API_KEY! The key",
    "# @env REGION",
    "# @meta readonly",
    "# @meta timeout 2m",
    "# @meta answer 16k",
    "# @meta host api.example.com",
    "# @meta read ~/.config/x",
    "# @meta title Weather",
    "# @meta require-tools curl",
  );
  const { schema, plain } = toolOf(header);
  expect(schema).toMatchObject({
    title: "Weather",
    annotations: { readOnlyHint: true },
    ikigai: {
      timeoutMs: 120_000,
      answerBytes: 16_384,
      needs: { hosts: ["api.example.com"], read: ["~/.config/x"], env: ["API_KEY", "REGION"] },
    },
  });
  expect(plain.requiredEnv).toEqual(["API_KEY"]);
});

test("each @cmd is a tool, named after the function below or by its first word", () => {
  const shell = script(
    "# @describe Database",
    "# @cmd Ask it",
    "# @arg sql!",
    "query() { :; }",
    "# @cmd Fill it",
    "# @flag --fast",
    "load-all() { :; }",
    "# @cmd Not for models",
    "_hidden() { :; }",
  );
  const tools = toolsOf(shell, "db");
  expect(tools.map(({ schema, plain }) => [schema.name, schema.description, plain.command])).toEqual([
    ["db_query", "Ask it", "query"],
    ["db_load_all", "Fill it", "load-all"],
  ]);
  const [other] = toolsOf("#!/usr/bin/env python3\n# @cmd query Ask it\n# @arg sql!\n", "db");
  expect(other?.schema).toMatchObject({ name: "db_query", description: "Ask it" });
  expect(other && plainInput(other.plain, other.schema.parameters, { sql: "select 1" })).toMatchObject({
    words: ["query", "--", "select 1"],
    script: "argc_sql='select 1'\nquery 'select 1'",
  });
});

test.each<[string, number, number, string]>([
  ["# @describe", 2, 12, "expected what the tool does"],
  ["# @option --a", 2, 11, "expected what the tool does"],
  ["# @describe D\n# @option name", 3, 11, 'expected a name, "@option --name"'],
  ["# @describe D\n# @option --name? x", 3, 17, 'expected a space, "!" (required)'],
  ["# @describe D\n# @option --n=x <INT>", 3, 14, "expected integers"],
  ["# @describe D\n# @option --n <A> <B>", 3, 14, "expected one value"],
  ["# @describe D\n# @option --ikigai-x", 3, 11, "expected another name"],
  ["# @describe D\n# @flag --a\n# @arg a", 4, 8, "expected another name than a"],
  ["# @describe D\n# @arg -a", 3, 8, 'expected a name, "@arg file"'],
  ["# @describe D\n# @env my-key", 3, 8, "expected the name of a variable"],
  ["# @describe D\n# @meta timeout soon", 3, 17, "expected a time"],
  ["# @describe D\n# @meta answer 0", 3, 16, "expected a size"],
  ["# @describe D\n# @meta host", 3, 13, "expected a value after host"],
  ["# @describe D\n# @meta host *", 2, 13, "is every host"],
  ["# @cmd A\na() { :; }\n# @cmd B\na() { :; }", 4, 8, "expected another name than a"],
])("says where %j is wrong", (lines, line, column, expected) => {
  const reading = readPlainTools(script(lines), "demo");
  expect(reading).toMatchObject({ problem: { line, column, expected: expect.stringContaining(expected) } });
});

test.each([
  ["a script without tags", script("echo hello")],
  ["a binary with the word", "\u007fELF\0# @describe D"],
  ["the word in the code", script('echo "@describe"', "x='# not @describe'")],
  ["documentation with other tags", "/** @option {string} a @flag b */\n// @ts-check\n"],
])("%s is no plain tool", (_, header) => {
  expect(readPlainTools(header, "demo")).toBeUndefined();
});

test("without a first line #! the file is for bash", () => {
  expect(toolOf("# @describe D\n").plain.isBare).toBe(true);
});
