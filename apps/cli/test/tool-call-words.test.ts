// @module-tag sampled
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

const greet = `#!/bin/sh
# @describe Greet a person
# @option --name! Whom to greet
# @option --times=1 <INT> How often
# @flag --loud Shout
# @option --tags* Labels
# @option --tone[kind|rude] How
# @option --dry-run Only say it
printf '%s' "$IKIGAI_ARGUMENTS" | sed 's/"/~/g'
`;

/** Answers with its arguments, which may be any. */
const any = `#!/bin/sh
[ "$1" = --schema ] && echo '{"name":"any","description":"Take it","parameters":{"type":"object","properties":{"o":{"type":"object"},"n":{"type":"number"},"one":{"type":["string","integer"]},"both":{"type":["string","array"]}},"additionalProperties":true}}' && exit
cat
`;

async function world() {
  const tools = { "greet-tool": { content: greet, mode: 0o755 }, "any-tool": { content: any, mode: 0o755 } };
  const home = await tempDir(Object.fromEntries(Object.entries(tools).map(([n, t]) => [`.ikigai/tools/${n}`, t])));
  const cwd = await tempDir({ "a.txt": "from a file\n", "b.json": '{"a":[1]}' });
  return (words: readonly string[], stdin?: string) =>
    ikigai(["tool", "call", ...words], { cwd, env: { HOME: home }, ...(stdin !== undefined && { stdin }) });
}

/** What the tool got. */
async function argumentsOf(words: readonly string[], stdin?: string): Promise<unknown> {
  const { stdout, stderr } = await (await world())(words, stdin);
  if (stderr !== "") throw new Error(stderr);
  const { result } = JSON.parse(stdout);
  return words[0] === "greet" ? JSON.parse(result.output.replaceAll("~", '"')) : result;
}

test("three lines of shell are called with the words of a person", async () => {
  const hello = '#!/bin/sh\n# @describe Greet a person\n# @option --name! Whom to greet\necho "Hello $argc_name"\n';
  const home = await tempDir({ ".ikigai/tools/hello-tool": { content: hello, mode: 0o755 } });
  expect(await ikigai(["tool", "call", "hello", "name=Ada"], { env: { HOME: home } })).toEqual({
    exitCode: 0,
    stdout: '{"tool_success":true,"result":{"output":"Hello Ada"}}\n',
    stderr: "",
  });
});

describe("reads words by the schema", () => {
  test.each<readonly [words: readonly string[], expected: unknown]>([
    [["greet", "name=7"], { name: "7" }],
    [["greet", "name=true"], { name: "true" }],
    [["greet", 'name={"a":1}'], { name: '{"a":1}' }],
    [["greet", "name="], { name: "" }],
    [["greet", "name=a=b:=c"], { name: "a=b:=c" }],
    [["greet", "name= 'x' $(id)\n`id`"], { name: " 'x' $(id)\n`id`" }],
    [["greet", "name=x", "times=3", "loud=true"], { name: "x", times: 3, loud: true }],
    [["greet", "name=x", "times:=3", "loud:=false"], { name: "x", times: 3, loud: false }],
    [["greet", "name=x", "tags[]=a", "tags[]=3"], { name: "x", tags: ["a", "3"] }],
    [["greet", "name=x", "tags=a", "tags=b"], { name: "x", tags: ["a", "b"] }],
    [["greet", "name=x", 'tags:=["a"]'], { name: "x", tags: ["a"] }],
    [["greet", "name=x", "dry-run=yes"], { name: "x", dry_run: "yes" }],
    [["greet", "name=@a.txt"], { name: "from a file\n" }],
    [["greet", "name=\\@a.txt"], { name: "@a.txt" }],
    [["greet", "name=\\\\@a.txt"], { name: "\\@a.txt" }],
    [["any", "n=1.5", "one=5", "both=x", "other=5"], { n: 1.5, one: "5", both: "x", other: "5" }],
    [["any", "o[a][b]=1", "o[a][c]:=2", "o[l][]=x"], { o: { a: { b: "1", c: 2 }, l: ["x"] } }],
    [["any", "o:=@b.json", "x.y:=null"], { o: { a: [1] }, "x.y": null }],
    [["any", "__proto__[a]=1", "constructor=2"], JSON.parse('{"__proto__":{"a":"1"},"constructor":"2"}')],
  ])("%j", async (words, expected) => {
    expect(await argumentsOf(words)).toEqual(expected);
  });

  test("and the content of stdin", async () => {
    expect(await argumentsOf(["greet", "name=@-"], "piped")).toEqual({ name: "piped" });
  });
});

test.each([
  [
    ["greet", "nam=Ada"],
    'greet has no parameter "nam". Its parameters: name, times, loud, tags, tone, dry_run. Did you mean name?',
  ],
  [["greet", "name=x", "times=often"], 'Expected times to be a whole number, got "often".'],
  [["greet", "name=x", "loud=yes"], 'Expected loud to be true or false, got "yes".'],
  [["any", "o=x"], 'Expected o to be an object, got "x". As JSON: o:=…'],
  [["greet", "name=x", "name=y"], "name is given twice."],
  [["any", "o[]=x", "o[a]=y"], '"o[a]=y" does not fit the words before it'],
  [["greet", "name=x", '{"times":1}'], "Expected either JSON or KEY=VALUE, got both"],
  [["greet", "Ada"], 'Expected KEY=VALUE, got "Ada": ikigai tool call greet name=…'],
  [
    ["greet", "--name", "Ada"],
    "Unknown option --name. A tool's parameters are KEY=VALUE: ikigai tool call greet name=VALUE",
  ],
  [["greet", "name=@nowhere"], 'Cannot read "nowhere": no such file or directory.'],
  [["greet", "times:=three"], 'Expected JSON after := in "times:=three". A text goes after = alone.'],
  [["greet"], "greet needs arguments: ikigai tool call greet name=TEXT"],
])("explains what is wrong with %j, and starts nothing", async (words, problem) => {
  const { exitCode, stdout, stderr } = await (await world())(words);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(problem);
  expect(stderr).toContain(`\nTry: ikigai tool call ${words[0]} --help\n`);
});

test("--help after a name prints the parameters of the tool, with a call that works", async () => {
  const run = await world();
  const { exitCode, stdout } = await run(["greet", "--help"]);
  expect(exitCode).toBe(0);
  expect(stdout).toBe(`Usage: ikigai tool call greet name=TEXT [times=NUMBER] [loud=true|false]
    [tags[]=TEXT] [tone=kind|rude] [dry_run=TEXT]

Greet a person

Parameters:
  name     Whom to greet (required)
  times    How often (default: 1)
  loud     Shout
  tags     Labels
  tone     How
  dry_run  Only say it

Example:
  ikigai tool call greet name=text
`);
  expect(JSON.parse((await run(["greet", "name=text"])).stdout)).toMatchObject({ tool_success: true });
  expect(await run(["gret", "--help"])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("Did you mean greet?"),
  });
  expect((await run(["--help"])).stdout).toContain("ikigai tool call NAME [KEY=VALUE...]");
});

describe("as a command of a shell", () => {
  test.each<readonly [words: readonly string[], expected: unknown]>([
    [["--name", "Ada", "--loud"], { name: "Ada", loud: true }],
    [["--name=Ada", "--no-loud", "--times", "3"], { name: "Ada", loud: false, times: 3 }],
    [["--tags", "a", "--tags=b", "--name", "@x", "--dry-run", "--y"], { tags: ["a", "b"], name: "@x", dry_run: "--y" }],
    [["name=Ada", "--tone=rude", "--loud=false"], { name: "Ada", tone: "rude", loud: false }],
  ])("takes options: %j", async (words, expected) => {
    const { stdout, stderr } = await (await world())(["greet", "--result", ...words]);
    expect([stderr, JSON.parse(stdout.replaceAll("~", '"'))]).toEqual(["", expected]);
  });

  test.each([
    [["--name"], "Missing value: --name TEXT"],
    [["--nam", "Ada"], 'greet has no parameter "nam".'],
    [["--no-name", "Ada"], 'greet has no parameter "no-name".'],
  ])("refuses %j", async (words, problem) => {
    const { exitCode, stderr } = await (await world())(["greet", "--result", ...words]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });

  test("--help has the words and the options", async () => {
    const { stdout } = await (await world())(["greet", "--result", "--help"]);
    expect(stdout).toMatch(/^ {2}name, --name TEXT +Whom to greet/m);
    expect(stdout).toMatch(/^ {2}loud, --\[no-\]loud +Shout$/m);
    expect(stdout).toMatch(/^ {2}dry_run, --dry-run TEXT +Only say it$/m);
  });
});
