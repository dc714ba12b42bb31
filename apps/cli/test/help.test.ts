import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { providerNames } from "@ikigai/models";
import { runCheckCommand } from "@ikigai/testing";
import { expect, test } from "vitest";
import { configShape, type Shape } from "../../../packages/agent/src/config/config-shape.ts";
import { commands } from "../src/args/commands.ts";
import { mainOptions } from "../src/args/option.ts";
import { conversationKeys } from "../src/help/topics.ts";
import { ikigai } from "./ikigai.ts";

const topicNames = readdirSync(new URL("../src/help/topics", import.meta.url)).map((file) => file.replace(".txt", ""));
const docs = fileURLToPath(new URL("../dist/docs", import.meta.url));

async function helpOn(...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await ikigai(["help", ...words]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout;
}

test("the help lists every command and every option", async () => {
  const { stdout } = await ikigai(["--help"]);
  for (const name of Object.keys(commands)) expect(stdout).toContain(`\n  ${name}`);
  for (const name of Object.keys(mainOptions)) expect(stdout).toMatch(new RegExp(`--${name}\\b(?!-)`));
});

test.each(Object.values(commands))("--help of $name lists its options", async ({ name, options }) => {
  const { exitCode, stdout: text } = await ikigai([...name.split(" "), "--help"]);
  expect(exitCode).toBe(0);
  expect(text).toMatch(new RegExp(`^ikigai ${name}\\b`));
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(80);
  for (const option of Object.keys(options)) expect(text).toMatch(new RegExp(`--${option}\\b(?!-)`));
});

test.each(["doctor", "tool add", "mcp login"])("help on %s prints the same as its --help", async (name) => {
  const words = name.split(" ");
  expect((await ikigai([...words, "--help"])).stdout).toBe(await helpOn(...words));
});

test("help lists the topics, and explains each", async () => {
  const list = await helpOn();
  for (const name of topicNames) {
    expect(list).toContain(`\n  ${name} `);
    const text = await helpOn(name);
    expect(text.split("\n").length).toBeGreaterThan(5);
    const ownLines = text.split("\n").filter((line) => !line.startsWith(`  ${docs}/`));
    expect(Math.max(...ownLines.map((line) => line.length))).toBeLessThan(80);
  }
  expect(topicNames.length).toBeGreaterThan(12);
});

test.each([
  ["protocol", ["protocol.md", "writing-a-tool.md"]],
  ["agents", ["agents.md"]],
  ["hooks", ["hooks.md"]],
  ["sandbox", ["sandbox.md"]],
  ["launchers", ["launchers.md"]],
  ["mcp", ["mcp.md"]],
  ["editors", ["editors.md"]],
])("help on %s names the files of the docs in this installation", async (topic, names) => {
  const paths = (await helpOn(topic)).split("\n").filter((line) => line.startsWith(`  ${docs}/`));
  expect(paths).toEqual(names.map((name) => `  ${docs}/${name}`));
  for (const path of paths) expect(existsSync(path.trim())).toBe(true);
});

test("help finds a tool command without the word tool", async () => {
  expect(await helpOn("add")).toBe(await helpOn("tool", "add"));
});

test("help explains a command of a conversation, by any of its names", async () => {
  for (const word of ["rewind", "/rewind", "checkpoint"])
    expect(await helpOn(word)).toMatch(/^ {2}\/rewind(?: \[back\])? {2,}go back to /);
  expect(await helpOn("version")).toMatch(/^Usage: ikigai version\n\nPrint the version, [\s\S]*\n {2}\/status {2,}/);
  expect(await helpOn("compact")).toContain("A command of a conversation. All of them: /help\n");
});

test("help permissions says that mode deny denies commands that only read", async () => {
  const text = (await helpOn("permissions")).replaceAll("\n", " ");
  expect(text).toContain("except in mode deny, shell commands that only read");
});

test("help on tool lists the tool commands", async () => {
  const text = await helpOn("tool");
  for (const name of Object.keys(commands).filter((command) => command.startsWith("tool ")))
    expect(text).toContain(`\n  ${name}`);
  for (const args of [
    ["tool", "--help"],
    ["tool", "help"],
  ])
    expect((await ikigai(args)).stdout).toBe(text);
  expect((await ikigai(["tool", "help", "add"])).stdout).toBe(await helpOn("tool", "add"));
});

test("tool check accepts the options that its help lists", async () => {
  let own = "";
  await runCheckCommand(["--help"], { name: "x", print: (text) => (own += text), printError: () => {} });
  const options = [...new Set(own.match(/--[a-z]+/g))].sort();
  expect(
    Object.keys(commands["tool check"].options)
      .map((name) => `--${name}`)
      .sort(),
  ).toEqual(options);
});

test("the keys and commands of a conversation are explained", async () => {
  const { allCommands } = await import("../src/tui/commands/all-commands.ts");
  const [keys, slash] = [await helpOn("keys"), await helpOn("commands")];
  for (const [key] of conversationKeys) expect(keys).toContain(`\n  ${key} `);
  for (const { name } of allCommands) expect(slash).toMatch(new RegExp(`[ ,]/${name}\\b`));
});

test("every setting is explained", async () => {
  const text = await helpOn("config");
  const all = settings(configShape).filter((key) => !(providerNames as string[]).includes(key));
  for (const key of all) expect(text).toMatch(new RegExp(`\\b${key.replace("$", "")}\\b`));
});

function settings(shape: Shape): string[] {
  if (shape.type === "map") return settings(shape.values);
  if (shape.type !== "object") return [];
  return Object.entries(shape.keys).flatMap(([key, inner]) => (key.includes("-") ? [] : [key, ...settings(inner)]));
}

test("every variable that ikigai reads or sets is explained", async () => {
  const text = await helpOn("environment");
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const sources = ["apps/cli/src", "packages/agent/src", "packages/core/src", "packages/protocol/src"].flatMap(
    (folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts"))
        .map((path) => readFileSync(join(root, folder, path), "utf8")),
  );
  const names = sources.flatMap((source) => source.match(/\bIKIGAI_[A-Z_]*[A-Z]\b|(?<=\benv\.)[A-Z][A-Z_]+\b/g) ?? []);
  // Variables of every program, and one that the build sets.
  const others = new Set(["HOME", "LD_LIBRARY_PATH", "PATH", "PWD", "TMPDIR", "IKIGAI_VERSION"]);
  for (const name of new Set(names)) if (!others.has(name)) expect(text).toMatch(new RegExp(`\\b${name}\\b`));
});

test("every exit code is explained", async () => {
  const text = await helpOn("exit-codes");
  const { exitCodes } = await import("../src/host/terminal/exit.ts");
  for (const code of Object.values(exitCodes)) expect(text).toMatch(new RegExp(`^ {2}${code} `, "m"));
});
