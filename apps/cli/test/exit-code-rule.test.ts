// @module-tag sampled
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { type CommandName, commands, findCommand } from "../src/args/commands.ts";
import { ikigai } from "./ikigai.ts";

/** The command line itself is wrong. */
const wrong: readonly (readonly string[])[] = [
  ["tool", "list", "x"],
  ["tool", "show"],
  ["tool", "call"],
  ["tool", "path", "x"],
  ["tool", "types", "x"],
  ["tool", "check", "--frob"],
  ["tool", "new"],
  ["tool", "add"],
  ["tool", "export", "hello"],
  ["tool", "wrap"],
  ["tool", "search", "--frob"],
  ["tool", "eval"],
  ["tool", "allow"],
  ["tool", "update", "--frob"],
  ["tool", "remove"],
  ["tool", "log", "a", "b"],
  ["replay"],
  ["setup", "x"],
  ["models", "nosuch"],
  ["login", "nosuch"],
  ["logout", "nosuch"],
  ["import", "nosuch"],
  ["config", "get", "nosuch"],
  ["config", "set", "sandbox.enabled", "3"],
  ["config", "unset", "nosuch"],
  ["config", "edit", "x"],
  ["config", "schema", "x"],
  ["config", "path", "x"],
  ["trust", "--show", "--revoke"],
  ["init"],
  ["doctor", "x"],
  ["acp", "x"],
  ["hook", "list", "x"],
  ["hook", "test"],
  ["hook", "test", "nosuch"],
  ["hook", "test", "before-call"],
  ["mcp", "add", "everything"],
  ["mcp", "list", "x"],
  ["mcp", "test"],
  ["mcp", "update", "--nope"],
  ["mcp", "remove"],
  ["mcp", "login"],
  ["mcp", "logout"],
  ["mcp", "serve", "x"],
  ["undo", "a", "b"],
  ["sessions", "list", "--since", "soon"],
  ["cost", "--by", "colour"],
  ["sessions", "search"],
  ["sessions", "archive"],
  ["sessions", "delete"],
  ["sessions", "export"],
  ["sessions", "share"],
  ["sessions", "import"],
  ["upgrade", "--frob"],
  ["uninstall", "--frob"],
  ["completion", "tcsh"],
  ["help", "nosuch"],
];

/** The command line is right, and what it names does not exist here or does not work. */
const failing: readonly (readonly string[])[] = [
  ["tool", "show", "nosuch"],
  ["tool", "call", "nosuch"],
  ["tool", "check", "./nosuch"],
  ["tool", "check", "nosuch"],
  ["tool", "export", "nosuch", "--to", "codex", "--yes"],
  ["tool", "eval", "nosuch"],
  ["tool", "add", "./nosuch", "--yes"],
  ["tool", "update", "nosuch", "--yes"],
  ["tool", "remove", "nosuch", "--yes"],
  ["tool", "log"],
  ["tool", "log", "nosuch"],
  ["replay", "3"],
  ["hook", "test", "before-call", "--tool", "nosuch"],
  ["login", "anthropic"],
  ["logout", "anthropic"],
  ["config", "get", "screen.bell"],
  ["trust"],
  ["init", "--yes"],
  ["-p", "hello"],
  ["-p", "hello", "--model", "offline", "--resume", "nosuch"],
  ["-p", "hello", "--model", "offline", "--continue"],
  ["-p", "hello", "--replay", "nosuch"],
];

/** Commands that read the configuration and cannot do without. */
const needsConfiguration: readonly (readonly string[])[] = [
  ["tool", "list"],
  ["tool", "show", "bash"],
  ["tool", "call", "bash", "{}"],
  ["hook", "test", "stop"],
  ["models"],
  ["login", "--status"],
  ["import", "pi"],
  ["config", "get"],
  ["config", "set", "screen.bell", "true"],
  ["config", "set", "model", "offline"],
  ["config", "unset", "screen.bell"],
  ["init", "--yes"],
  ["-p", "hello"],
  ["--plain"],
];

describe("exit code 2: the command line must change", () => {
  test.each(wrong)("ikigai %s %s %s", async (...args) => {
    const words = args.filter((word) => word !== undefined);
    expect(await ikigai(words, { env: { HOME: await tempDir() } })).toMatchObject({ exitCode: 2, stdout: "" });
  });

  test("every command is in the table", () => {
    const named = new Set(wrong.map((words) => findCommand(words)?.name));
    for (const name of Object.keys(commands) as CommandName[]) expect(named).toContain(name);
  });
});

describe("exit code 1: it failed", () => {
  test.each(failing)("ikigai %s %s %s %s %s %s", async (...args) => {
    const words = args.filter((word) => word !== undefined);
    const { exitCode, stdout, stderr } = await ikigai(words, { env: { HOME: await tempDir() } });
    expect(exitCode).toBe(1);
    expect(stdout + stderr).not.toContain("Try: ikigai");
  });
});

describe("exit code 2: the configuration must change", () => {
  test.each(needsConfiguration)("ikigai %s %s %s %s", async (...args) => {
    const words = args.filter((word) => word !== undefined);
    const HOME = await tempDir({ ".ikigai/config.json": { content: '{"model": "offline"\n\n', mode: 0o600 } });
    const { exitCode, stdout, stderr } = await ikigai(words, { env: { HOME } });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain('/config.json:1:20: Expected a closing brace }.\n  {"model": "offline"\n');
    expect(stderr).toContain("ikigai doctor");
    expect(stderr).not.toContain("config edit");
  });
});
