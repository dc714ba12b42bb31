// @module-tag sampled
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { manPage } from "../src/help/man-page.ts";
import { slashCommandTable } from "../src/help/slash-command-table.ts";
import { noSuchCommand } from "../src/session/commands/find-command.ts";
import { slashCommands } from "../src/session/commands/slash-commands.ts";
import { ikigai } from "./ikigai.ts";

const commands = Object.entries(slashCommandTable).map(([name, facts]) => ({ name, ...facts }));

const projectDir = await tempDir({
  ".ikigai/commands/greet.md": "Hello",
  ".ikigai/commands/to/all.md": "Hello",
  ".claude/commands/review.md": "R",
});

test("each name and alias leads to one command", () => {
  const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

/** A session in that project. */
const sessionWith = (trust: string) =>
  ({
    agent: {
      toolbox: { current: async () => ({ skills: [{ name: "db" }], trust }) },
      places: { projectDir, home: projectDir },
    },
  }) as unknown as Parameters<typeof noSuchCommand>[2];
const session = sessionWith("trusted");

test.each([
  ["tols", "There is no command /tols. Did you mean /tools?"],
  ["tol", "There is no command /tol. Did you mean /tool?"],
  ["exprot", "There is no command /exprot. Did you mean /export?"],
  ["setings", "There is no command /setings. Did you mean /settings?"],
  ["db", "db is a skill. To load it: /load db"],
  ["zzz", "There is no command /zzz. /help lists the commands."],
])("suggests the nearest name or alias for /%s", async (name, answer) => {
  expect(await noSuchCommand(name, commands, session)).toBe(answer);
});

test("a command of a project that is not trusted leads to /trust", async () => {
  for (const name of ["greet", "to:all"]) {
    const states = { untrusted: "not trusted", changed: "no longer trusted (files changed)" };
    for (const [trust, state] of Object.entries(states))
      expect(await noSuchCommand(name, commands, sessionWith(trust))).toBe(
        `/${name} is a command of the project, which is ${state}. See: /trust`,
      );
    expect(await noSuchCommand(name, commands, session)).toBe(`The file of /${name} is empty or too long.`);
  }
  expect(await noSuchCommand("../commands/greet", commands, sessionWith("untrusted"))).toMatch(/^There is no command/);
});

test.each(["bug", "feedback"])("/%s names the issue tracker of the manual page", async (name) => {
  const [, address = "none"] = /Report problems at (https:\S+),/.exec(manPage("1").replaceAll("\\", "")) ?? [];
  expect(await noSuchCommand(name, commands, session)).toContain(`Report problems at ${address}`);
});

test("names what does the same in a shell, and the file of another agent", async () => {
  const here = (name: string, place?: "lines" | "print") => noSuchCommand(name, slashCommands, session, place);
  expect(await here("doctor", "lines")).toBe(
    "/doctor needs the full screen, on a terminal, without --plain. In a shell: ikigai doctor",
  );
  expect(await here("exit", "print")).toBe("/quit is for a conversation, not for -p.");
  expect(await here("review")).toBe("Copy .claude/commands/review.md to .ikigai/commands/, and it becomes /review.");
  expect(await here("security-review")).toContain("becomes /review");
});

test("in line mode, commands that need the full screen say so", async () => {
  const home = await tempDir({ ".ikigai/AGENTS.md": "Be brief.\nAlways.\n" });
  const cwd = await tempDir({ "AGENTS.md": "Use tabs.\n" });
  const { stdout } = await ikigai(["--model", "offline"], {
    cwd,
    env: { HOME: home },
    typed: "/mcp\n/compact\n/undo\n/cost\n/memory\n/clear\n/status\n/q\nno more",
  });
  expect(stdout).toContain("No MCP servers. In a shell: ikigai mcp add NAME -- COMMAND");
  expect(stdout).toContain("\nNo messages yet.\n");
  expect(stdout).toContain("/rewind needs the full screen, on a terminal, without --plain.");
  expect(stdout).toMatch(/ {2}model {8}offline\/plain-requests\n[\s\S]* {2}tokens {7}none yet\n/);
  expect(stdout).toMatch(
    /Read for every message, the most specific last:\n {2}~\/.ikigai\/AGENTS.md {2}2 lines\n {2}.*\/AGENTS.md {2}1 line\n/,
  );
  const [first, second] = [...stdout.matchAll(/ {2}session {6}(\S+)/g)].map(([, id]) => id);
  expect(stdout).toContain("A new session.\n");
  expect(second).not.toBe(first);
  expect(stdout).not.toContain("no more");
});
