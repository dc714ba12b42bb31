import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { toolRules } from "../src/config/tool-settings.ts";
import { type Config, readConfig } from "../src/internal.ts";
import { changeSettings, configSchema } from "../src/setup.ts";

const owner = { home: "/home/me/.ikigai", userHome: "/home/me" };
const settings = (tools: NonNullable<Config["tools"]>, name: string) => toolRules({ tools }, owner).settingsFor(name);

async function problemsOf(tools: object): Promise<readonly string[]> {
  const content = JSON.stringify({ tools });
  const { problems } = readConfig(await tempDir({ "config.json": { content, mode: 0o600 } }));
  expect(problems.every(({ isFatal }) => isFatal)).toBe(true);
  return problems.map(({ message }) => message);
}

test("takes a tool's settings from its own name before a pattern, and from a longer pattern before a shorter one", () => {
  const tools = {
    mcp__github__search: { timeoutMs: 1 },
    "*": { timeoutMs: 4, maxOutputBytes: 4 },
    "mcp__github__*": { timeoutMs: 2 },
    "mcp__*": { timeoutMs: 3, maxOutputBytes: 3 },
  };
  expect(settings(tools, "mcp__github__search")).toMatchObject({ timeoutMs: 1, maxOutputBytes: 3 });
  expect(settings({ "mcp__*": { answerBytes: 5 } }, "mcp__github__list").answerBytes).toBe(5);
  expect(settings(tools, "bash").answerBytes).toBe("declared");
  expect(settings(tools, "mcp__github__list")).toMatchObject({ timeoutMs: 2, maxOutputBytes: 3 });
  expect(settings(tools, "mcp__linear__list")).toMatchObject({ timeoutMs: 3, maxOutputBytes: 3 });
  expect(settings(tools, "bash")).toMatchObject({ timeoutMs: 4, maxOutputBytes: 4 });
  expect(settings({ "bash*": { timeoutMs: 2 }, bash: {} }, "bash")).toMatchObject({ timeoutMs: 2 });
  expect([settings({}, "bash").timeoutMs, settings({}, "grep").timeoutMs]).toEqual([undefined, undefined]);
});

test("keeps the sandbox of a pattern when a tool has other settings of its own", () => {
  const tools = { "mcp__*": { sandbox: true }, mcp__github__search: { network: true } };
  expect(settings(tools, "mcp__github__search").sandbox).toMatchObject({ network: true });
  expect(settings(tools, "mcp__github__list").sandbox).toMatchObject({ network: false });
  expect(settings(tools, "bash").sandbox).toBeUndefined();
});

test("rejects a pattern that would match no tool, and a launcher for a pattern", async () => {
  expect(await problemsOf({ "mcp__*__list": {} })).toEqual([
    '"tools.mcp__*__list" is not a tool name: Unexpected text after "*" in a tool name. A star may only be its last character.',
  ]);
  expect(await problemsOf({ "mcp-*": {} })).toEqual([expect.stringContaining('Unexpected "-" in a tool name.')]);
  expect(await problemsOf({ "mcp__*": { launcher: ["ssh", "box"] } })).toEqual([
    '"tools.mcp__*.launcher" is for one tool. Write its name instead of the pattern.',
  ]);
  expect(await problemsOf({ "mcp__*": { sandbox: false }, "*": {} })).toEqual([]);
});

test("changes the settings of a pattern, and refuses an invalid one", async () => {
  const home = await tempDir();
  changeSettings(home, [{ key: "tools.mcp__*.timeoutMs", value: 9 }]);
  expect(readConfig(home).config.tools).toEqual({ "mcp__*": { timeoutMs: 9 } });
  expect(() => changeSettings(home, [{ key: "tools.a*b.timeoutMs", value: 9 }])).toThrow(
    /"tools\.a\*b" is not a tool name/,
  );
  expect(readConfig(home).config.tools).toEqual({ "mcp__*": { timeoutMs: 9 } });
});

test("describes patterns in the schema for editors", () => {
  const { properties } = configSchema() as { properties: { tools: { patternProperties: object } } };
  const [[pattern = "", shape] = []] = Object.entries(properties.tools.patternProperties);
  expect(new RegExp(pattern).test("mcp__*")).toBe(true);
  expect(new RegExp(pattern).test("bash")).toBe(false);
  expect(Object.keys(shape.properties)).toEqual([
    "timeoutMs",
    "maxOutputBytes",
    "answerBytes",
    "sandbox",
    "network",
    "serve",
  ]);
});
