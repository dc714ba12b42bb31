import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { findCommand } from "../src/args/commands.ts";
import { findOtherWord, otherWords } from "../src/args/other-words.ts";
import { parseArgv } from "../src/args/parse-argv.ts";
import { otherWordAnswers } from "../src/help/other-word-answers.ts";
import { ikigai } from "./ikigai.ts";

describe("a command of other agents", () => {
  test.each([
    [["plugin"], "Tools take the place of plugins."],
    [["plugin", "add", "files", "--scope", "user", "--", "npx", "-y", "server"], "Tools take the place of plugins."],
    [["update", "tool"], "ikigai upgrade"],
    [["agents"], "Agents are files in ~/.ikigai/agents"],
    [["resume"], "ikigai --resume"],
    [["exec", "hi"], 'ikigai -p "PROMPT"'],
    [["run", "--model", "anthropic/x", "hello"], 'ikigai -p "PROMPT"'],
    [["run", "-m", "anthropic/x", "hello", "there"], 'ikigai -p "PROMPT"'],
    [["review"], 'ikigai "review the changes on this branch"'],
    [["review", "--uncommitted"], 'ikigai "review the changes on this branch"'],
    [["apply"], "ikigai changes files in place"],
    [["cloud", "exec", "--env", "e", "hello"], "ikigai has no cloud"],
    [["fork", "--last"], "ikigai --continue --fork"],
    [["attach"], "ikigai has no server"],
    [["app-server"], "ikigai has no server"],
    [["mcp-server"], "ikigai mcp serve"],
    [["setup-token"], "ikigai login PROVIDER"],
    [["self-update"], "ikigai upgrade"],
    [["update", "1.2"], "ikigai upgrade"],
    [["update", "v1.2.3-rc.1", "--force"], "ikigai upgrade"],
    [["session", "list"], "ikigai --resume"],
    [["session", "list", "--format", "json"], "ikigai --resume"],
  ])("%j is answered on stderr, with exit code 2 and nothing run", async (args, answer) => {
    const home = await tempDir();
    const end = await ikigai(args, { env: { HOME: home, ANTHROPIC_API_KEY: "sk-none" } });
    expect(end).toMatchObject({ exitCode: 2, stdout: "" });
    expect(end.stderr).toMatch(/^ikigai: [^\n]+\n$/);
    expect(end.stderr).toContain(answer);
  });

  test("every command that an answer names exists", () => {
    const named = Object.values(otherWordAnswers).flatMap(
      (answer) => answer.match(/(?<=: ikigai )[a-z]+(?: [a-z]+)?/g) ?? [],
    );
    expect(named.length).toBeGreaterThan(5);
    for (const words of named) expect([words, findCommand(words.split(" "))?.name]).not.toContain(undefined);
  });

  test("no answer shadows a command of ikigai", () => {
    for (const word of Object.keys(otherWords)) expect(findCommand([word])).toBeUndefined();
  });
});

test.each([
  ["mcp servers are slow, why"],
  ["run the tests"],
  ["update the dependencies"],
  ["doctor says that the key is missing"],
  ["version of the parser"],
  ["review the diff"],
  ["review src/main.ts"],
  ["apply the patch"],
  ["cloud costs are high"],
  ["fork the parser"],
  ["session list is empty after a restart"],
  ["update 1.2 to 1.3 in the changelog"],
  ["update 3 files"],
  ["upgrade eslint"],
  ["upgrade 0.2.0 of the parser"],
  ["setup-token has expired"],
  ["app-server crashes"],
])("%s is a message, as one word or several", (message) => {
  for (const argv of [message.split(" "), [message]]) {
    expect(findOtherWord(argv)).toBeUndefined();
    expect(parseArgv(argv)).toMatchObject({ kind: "repl", words: argv });
  }
});

test.each([
  [["review", "the diff", "-p"], "review the diff"],
  [["review", "-p"], "review"],
  [["review", "--print"], "review"],
])("%j is a prompt because of -p", (argv, prompt) => {
  expect(parseArgv(argv)).toMatchObject({ kind: "print", prompt });
});

test("-- makes a message of every word", () => {
  expect(parseArgv(["--", "mcp"])).toMatchObject({ kind: "repl", words: ["mcp"], isMessage: true });
});

test.each([["0.2.0"], ["v1.2"], ["1.0.0-rc.1"]])("upgrade %s says that it takes no version", async (version) => {
  const { exitCode, stdout, stderr } = await ikigai(["upgrade", version], { env: { HOME: await tempDir() } });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(`Unexpected "${version}". Usage: ikigai upgrade`);
});

test.each([[["doctor", "now"]], [["trust", "here", "--show", "please"]]])("%j is still a command", (argv) => {
  expect(parseArgv(argv)).toMatchObject({ kind: "command" });
});

test("version prints the version, and a mistyped word is corrected", async () => {
  expect(await ikigai(["version"])).toMatchObject({ exitCode: 0, stdout: "0.1.0\n", stderr: "" });
  expect((await ikigai(["upgarde"])).stderr).toContain("Did you mean upgrade?");
  expect((await ikigai(["__complete", "vers"])).stdout).toContain("version\tprint the version\n");
});

test.each([
  [["tools"], ["tool"]],
  [
    ["tools", "list"],
    ["tool", "list"],
  ],
  [["model"], ["models"]],
  [
    ["model", "--help"],
    ["models", "--help"],
  ],
  [
    ["settings", "path"],
    ["config", "path"],
  ],
  [["commands"], ["--help"]],
  [
    ["help", "model"],
    ["help", "models"],
  ],
  [
    ["help", "permission"],
    ["help", "permissions"],
  ],
  [
    ["help", "exit-code"],
    ["help", "exit-codes"],
  ],
])("%j answers as %j does", async (near, exact) => {
  const HOME = await tempDir();
  const [one, other] = [await ikigai(near, { env: { HOME } }), await ikigai(exact, { env: { HOME } })];
  expect(one).toEqual(other);
  expect(one.stderr).not.toContain("Unknown");
});

test.each(["tools are broken", "model the data as a tree", "settings page is slow"])("%s is a message", (message) => {
  expect(parseArgv(message.split(" "))).toMatchObject({ kind: "repl", words: message.split(" ") });
});

test("help models has a row for ollama", async () => {
  expect((await ikigai(["help", "models"])).stdout).toMatch(/\n {2}ollama +\(none\) +OLLAMA_HOST\n/);
});

test("help explains a command of other agents as the command itself does", async () => {
  const said = await ikigai(["plugins"]);
  const help = await ikigai(["help", "plugins"]);
  expect(help).toEqual({ exitCode: 0, stdout: said.stderr.replace("ikigai: ", ""), stderr: "" });
});
