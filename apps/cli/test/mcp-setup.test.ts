// @module-tag sampled
import { readdirSync } from "node:fs";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { mcpClients } from "../src/args/command-groups.ts";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { bin, ikigai } from "./ikigai.ts";

const setup = (client: string, args: readonly string[] = []) => ikigai(["mcp", "serve", "--setup", client, ...args]);

test.each(mcpClients)("prints a setup for %s with absolute paths, and changes nothing", async (client) => {
  const home = await tempDir();
  const { stdout, stderr, exitCode } = await ikigai(["mcp", "serve", "--setup", client], { env: { HOME: home } });
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^(Run this|Add this to \S+):\n$/);
  for (const word of [process.execPath, bin, "mcp", "serve"]) expect(stdout).toContain(word);
  expect(readdirSync(home)).toEqual([]);
});

test.each([
  ["gemini", ["mcpServers", "ikigai"]],
  ["cursor", ["mcpServers", "ikigai"]],
  ["vscode", ["servers", "ikigai"]],
  ["zed", ["context_servers", "ikigai"]],
  ["amp", ["amp.mcpServers", "ikigai"]],
])("%s gets JSON", async (client, keys) => {
  const { stdout } = await setup(client);
  const entry = keys.reduce((value, key) => value[key], JSON.parse(stdout));
  expect(entry).toMatchObject({ command: process.execPath, args: [bin, "mcp", "serve"] });
});

test("Codex gets TOML that approves the tools", async () => {
  const { stdout } = await setup("codex", ["--allow", 'bash(echo "a" \\*)']);
  expect(stdout).toBe(
    `[mcp_servers.ikigai]\ncommand = "${process.execPath}"\nargs = ${JSON.stringify([bin, "mcp", "serve", "--allow", 'bash(echo "a" \\*)'])}\ndefault_tools_approval_mode = "approve"\n`,
  );
});

test("the other options become part of it, with an absolute directory", async () => {
  const cwd = await tempDir();
  const sandbox = hasBubblewrap ? ["--sandbox"] : [];
  const args = ["--allow", "bash(npm test*)", "--dir", ".", ...sandbox, "--tools", "bash,grep"];
  const { stdout } = await ikigai(["mcp", "serve", "--setup", "claude", ...args], { cwd });
  const options = `${sandbox.map((option) => `${option} `).join("")}--allow 'bash(npm test*)' --tools bash,grep --dir ${cwd}`;
  expect(stdout).toBe(`claude mcp add ikigai -- ${process.execPath} ${bin} mcp serve ${options}\n`);
});

test.each([
  ["--tools", "nosuch", 'no tool "nosuch"'],
  ["--tools", "bash,,grep", "Expected --tools to be names"],
  ["--allow", "bash(", "is not a rule"],
  ["--dir", "/no-such-dir", "Expected --dir to be a directory"],
])("refuses %s %s as the server would", async (...given) => {
  const [option, value, why] = given;
  const ended = await setup("claude", [option, value]);
  expect(ended).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(why) });
  expect(await ikigai(["mcp", "serve", option, value], { stdin: "" })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(why),
  });
});

test("refuses a sandbox that does not work", async () => {
  const env = { IKIGAI_BWRAP: "/no/bwrap" };
  const ended = await ikigai(["mcp", "serve", "--setup", "claude", "--sandbox"], { env });
  expect(ended).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining("cannot be started") });
});
