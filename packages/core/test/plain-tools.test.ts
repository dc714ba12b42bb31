import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CallOptions } from "../src/call/options.ts";
import { callTool } from "../src/index.ts";
import { hasBubblewrap, sandboxStage } from "./sandbox-stage.ts";
import { circumstances, type World, world } from "./world.ts";

const script = (...lines: string[]) => `#!/bin/sh\n${lines.join("\n")}\n`;
const inHome = (name: string) => `home/tools/${name}-tool`;

/** Calls a tool of the user's as a host does. */
async function call({ discover, projectDir }: World, name: string, args: object, options: Partial<CallOptions> = {}) {
  const given = await circumstances({ cwd: projectDir, projectDir, ...options });
  return callTool(await discover(), name, JSON.stringify(args), given);
}

/** The result of a call of a tool with this body. */
async function resultOf(lines: readonly string[], args: object = {}, options: Partial<CallOptions> = {}) {
  const stage = await world({ [inHome("try")]: script("# @describe Try", ...lines) });
  const { envelope } = await call(stage, "try", args, options);
  return envelope.tool_success ? envelope.result : envelope;
}

test("a script of three lines is a tool, and nothing runs to learn what it is", async () => {
  const stage = await world({
    [inHome("hello")]: script(
      'echo "$0 $*" >> "$(dirname "$0")/../ran"',
      "# @describe Greet a person",
      "# @option --name! Whom to greet",
      'echo "Hello $argc_name"',
    ),
  });
  const { tools, failed } = await stage.discover();
  expect(failed).toEqual([]);
  expect(tools).toMatchObject([{ name: "hello", schema: { description: "Greet a person" } }]);
  expect(existsSync(join(stage.home, "ran"))).toBe(false);
  expect((await call(stage, "hello", { name: "Ada" })).json).toBe(
    '{"tool_success":true,"result":{"output":"Hello Ada"}}',
  );
  expect(readFileSync(join(stage.home, "ran"), "utf8")).toMatch(/hello-tool --name Ada\n$/);
});

test("an unchanged script is read once, and a changed one again", async () => {
  const stage = await world({ [inHome("a")]: script("# @describe First") });
  await stage.discover();
  const cache = join(stage.home, "cache/schemas.jsonl");
  writeFileSync(cache, readFileSync(cache, "utf8").replace("First", "Known"));
  expect((await stage.discover()).tools[0]?.schema.description).toBe("Known");
  writeFileSync(join(stage.root, inHome("a")), script("# @describe Second", ":"));
  expect((await stage.discover()).tools[0]?.schema.description).toBe("Second");
});

test("a wrong tag is reported with its place, and the script is not run", async () => {
  const stage = await world({ [inHome("a")]: script("touch ../ran", "# @describe D", "# @option name") });
  const { tools, failed } = await stage.discover();
  const detail = expect.stringMatching(/a-tool:4:11: expected a name, "@option --name": # @option name$/);
  expect([tools, failed]).toMatchObject([[], [{ name: "a", reason: "invalid schema", detail }]]);
});

test("the commands of a file are tools of their own", async () => {
  const stage = await world({
    [inHome("db")]: script(
      "# @cmd Ask it",
      "# @arg sql!",
      'query() { echo "asked $2"; }',
      "# @cmd Fill it",
      "load() { echo filled; }",
      '"$@"',
    ),
  });
  expect((await stage.discover()).tools.map(({ name }) => name)).toEqual(["db_load", "db_query"]);
  expect((await call(stage, "db_query", { sql: "select 1" })).envelope).toMatchObject({
    result: { output: "asked select 1" },
  });
  expect((await call(stage, "db_load", {})).envelope).toMatchObject({ result: { output: "filled" } });
});

test("a file without comments is described by the one beside it", async () => {
  const stage = await world({
    [inHome("bin")]: "#!/bin/cat\n",
    [`${inHome("bin")}.desc`]: "# @describe Print itself\n",
    [inHome("none")]: "#!/bin/cat\n",
    [`${inHome("none")}.desc`]: "nothing\n",
  });
  const { tools, failed } = await stage.discover();
  expect(tools.map(({ name }) => name)).toEqual(["bin"]);
  expect(failed).toMatchObject([{ name: "none", detail: expect.stringContaining("has no line") }]);
  expect((await call(stage, "bin", {})).envelope).toMatchObject({ result: { output: "#!/bin/cat" } });
  writeFileSync(join(stage.root, `${inHome("bin")}.desc`), "# @describe Changed\n");
  expect((await stage.discover()).tools[0]?.schema.description).toBe("Changed");
});

test("a script for argc works without argc, and without a line that names its interpreter", async () => {
  const stage = await world({
    [inHome("old")]: {
      content: [
        "# @describe As in other collections of tools",
        "# @option --text! <TEXT>",
        "# @option --item+",
        "# @option --day=`today`",
        "# @flag --loud",
        "today() { echo monday; }",
        "main() {",
        '  echo "$argc_text $argc_loud $argc_day" >> "$LLM_OUTPUT"',
        `  printf "[%s]" "\${argc_item[@]}" >> "$LLM_OUTPUT"`,
        "}",
        'eval "$(argc --argc-eval "$0" "$@")"',
        "",
      ].join("\n"),
      mode: 0o755,
    },
  });
  const args = { text: "a 'b'", item: ["x", "y z"], loud: true };
  expect((await call(stage, "old", args)).envelope).toMatchObject({ result: { output: "a 'b' 1 monday\n[x][y z]" } });
});

test("the program gets no input, the arguments as JSON, and the protocol's variables", async () => {
  const lines = ["# @option --a", 'cat; echo "$IKIGAI_ARGUMENTS $IKIGAI_TOOL_NAME"'];
  expect(await resultOf(lines, { a: "ü" })).toEqual({ output: '{"a":"ü"} try' });
});

test.each<[string, string, object]>([
  ["an object that it printed", "echo '{\"a\": 1}'", { a: 1 }],
  ["text", "printf 'a\\n\\n'", { output: "a\n" }],
  ["nothing", ":", { output: "" }],
  [
    "the end of a failure",
    "echo part; echo one >&2; echo two >&2; exit 3",
    { output: "part", exit_code: 3, error: "two" },
  ],
  ["a failure without a complaint", "echo part; exit 1", { output: "part", exit_code: 1 }],
  [
    "what it wrote to files of its output",
    "echo a > /dev/stdout; echo b >> /dev/stdout; echo c",
    { output: "a\nb\nc" },
  ],
])("the answer is %s", async (_, line, result) => {
  expect(await resultOf([line])).toEqual(result);
});

test.each([
  ["a program that was not found", "exit 127"],
  ["a signal", "echo a; kill -9 $$"],
  ["an exit code without a word", "exit 1"],
])("%s is a crash", async (_, line) => {
  expect(await resultOf([line])).toMatchObject({ tool_success: false, error_code: "TOOL_CRASHED" });
});

test("wrong arguments and a missing variable are answers, and nothing is started", async () => {
  const lines = ["# @option --n! <INT>", "# @env TRY_KEY!", "echo $TRY_KEY $argc_n"];
  const env = { ...process.env, TRY_KEY: "k" };
  expect(await resultOf(lines, { n: "many" }, { env })).toEqual({
    error: 'n: expected a number, got "many"',
    error_code: "INVALID_PARAMS",
  });
  expect(await resultOf(lines, { n: 1 })).toMatchObject({
    error_code: "MISSING_CREDENTIALS",
    error: expect.stringContaining("TRY_KEY"),
  });
  expect(await resultOf(lines, { n: "1", other: 2 }, { env })).toEqual({ output: "k 1", ignored: ["other"] });
});

test("more than a model should read is cut in the middle, and the whole is in a file", async () => {
  const stage = await world({ [inHome("try")]: script("# @describe Try", "# @meta answer 1k", "seq 1000") });
  const { envelope, overflowFile = "" } = await call(stage, "try", {}, { answerBytes: "declared" });
  const output = envelope.tool_success ? String(envelope.result.output) : "";
  expect(output).toMatch(/^1\n2\n.*\n… 2869 bytes left out; the whole output is in [^\n]*\n.*\n1000$/s);
  expect(output.length).toBeLessThan(1_300);
  expect(readFileSync(overflowFile, "utf8").split("\n")).toHaveLength(1_001);
});

test("lines of stderr that say so are reports", async () => {
  const reports: unknown[] = [];
  const options = { onProgress: (report: unknown) => reports.push(report) };
  await resultOf(["echo '::progress half' >&2; echo other >&2; echo '::progress done' >&2"], {}, options);
  expect(reports).toEqual([
    { progress: 1, message: "half" },
    { progress: 2, message: "done" },
  ]);
});

test("many calls at once have their own output", async () => {
  const stage = await world({
    [inHome("try")]: script("# @describe Try", "# @option --n", 'echo "$argc_n" > /dev/stdout'),
  });
  const numbers = Array.from({ length: 20 }, (_, n) => String(n));
  const calls = await Promise.all(numbers.map((n) => call(stage, "try", { n })));
  expect(calls.map(({ json }) => JSON.parse(json).result.output)).toEqual(numbers);
});

test.skipIf(!hasBubblewrap)("in the sandbox it gets the same (needs bwrap)", async () => {
  const stage = await sandboxStage({
    [inHome("try")]: {
      content:
        '# @describe Try\n# @option --a\nmain() { echo "$argc_a" >> "$LLM_OUTPUT"; touch /usr/x 2>&1; }\neval "$(argc --argc-eval)"\n',
      mode: 0o755,
    },
  });
  const { envelope } = await call(stage, "try", { a: "b" }, { sandbox: stage.sandbox });
  expect(envelope).toMatchObject({ result: { output: expect.stringMatching(/^b\ntouch: .*(?:Read-only|denied)/) } });
});
