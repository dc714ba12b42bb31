// @module-tag sampled
import { describe, expect, test } from "vitest";
import { openTerminal } from "../terminal.ts";
import { mcpHome, scriptedServer } from "./mcp-home.ts";

const description =
  "Repeats the whole message, with many words, so that no terminal is wide enough for all of them at once";
const tools = Array.from({ length: 15 }, (_, n) => ({
  ...{ name: `echo_${n}`, description },
  inputSchema: { type: "object", properties: {} },
}));
const names = tools.map(({ name }) => `mcp__test__${name}`);

describe("the tools that mcp add shows", () => {
  test("are all named with --yes, as no question follows at which the rest could be shown", async () => {
    const { stdout } = await (await mcpHome()).add({ tools });
    const [list = ""] = stdout.split("Added.");
    for (const name of names) expect(list).toContain(name);
    expect(list).toMatch(/\n {2}… 3 more: mcp__test__echo_12, mcp__test__echo_13, mcp__test__echo_14\n/);
    expect(list).toContain(`  mcp__test__echo_0  ${description.slice(0, 71)}…\n`);
  });

  test("are cut before a question that shows them all", async () => {
    const { home } = await mcpHome();
    const command = ["mcp", "add", "test", "--", process.execPath, scriptedServer, JSON.stringify({ tools })];
    const terminal = await openTerminal(command, { env: { HOME: home }, columns: 60 });
    const screen = await terminal.waitFor("Add them?");
    expect(screen).toContain("\n  … 3 more\n");
    const [row = ""] = /^ {2}mcp__test__echo_0 .*$/m.exec(screen) ?? [];
    expect(row).toBe(`  mcp__test__echo_0  ${description}`.slice(0, 58).concat("…"));
  });

  test("fit on a narrow terminal", async () => {
    const { home } = await mcpHome();
    const command = ["mcp", "add", "test", "--yes", "--", process.execPath, scriptedServer, JSON.stringify({ tools })];
    const terminal = await openTerminal(command, { env: { HOME: home }, columns: 60 });
    const screen = await terminal.waitFor("Added.");
    expect(screen).toContain("\n  … 3 more: mcp__test__echo_12, mcp__test__echo_13,\n    mcp__test__echo_14\n");
  });
});
