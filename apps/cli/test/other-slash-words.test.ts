import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { findCommand } from "../src/args/commands.ts";
import { mainOptions } from "../src/args/main-options.ts";
import { manPage } from "../src/help/man-page.ts";
import { otherSlashWords } from "../src/help/other-slash-words.ts";
import { insteadInLines, insteadInPrint } from "../src/help/slash-command-elsewhere.ts";
import { type SlashCommandName, slashCommandTable } from "../src/help/slash-command-table.ts";
import { commandCalled, noSuchCommand } from "../src/session/slash-command.ts";
import { slashCommands } from "../src/session/slash-commands.ts";
import { ikigai } from "./ikigai.ts";

const commands = Object.entries(slashCommandTable).map(([name, facts]) => ({ name, ...facts }));

const projectDir = await tempDir({ ".ikigai/commands/greet.md": "Hello", ".ikigai/commands/to/all.md": "Hello" });

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

test("answers a command of other agents in one line, and no name is ambiguous", async () => {
  const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const all = [...names, ...Object.keys(otherSlashWords)];
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
  for (const [name, answer] of Object.entries(otherSlashWords)) {
    expect(await noSuchCommand(name, commands, session)).toBe(`/${name}: ${answer}`);
    expect(answer).toMatch(/^[A-Z~@/!][^\n]{10,150}$/);
  }
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

test("every slash command that an answer names exists", () => {
  const named = Object.values(otherSlashWords).flatMap(
    (answer) => answer.match(/(?<=[ (]|^)\/[a-z-]+\b(?!\.md)/g) ?? [],
  );
  expect(named.length).toBeGreaterThan(10);
  for (const name of named) if (name !== "/review") expect(Object.keys(slashCommandTable)).toContain(name.slice(1));
});

test.each(["lines", "print"] as const)(
  "in %s the answer to another agent's command names nothing that only the screen has",
  async (place) => {
    const here = place === "lines" ? slashCommands : [];
    for (const name of Object.keys(otherSlashWords)) {
      const answer = await noSuchCommand(name, here, session, place);
      expect(answer).toMatch(/^[^\n]{10,420}$/);
      expect(answer).not.toMatch(/Esc|Shift-Tab|Ctrl-J|Type @ to/);
      if (place === "print") expect(answer).not.toMatch(/\/help|!!/);
      for (const [, command = ""] of answer.slice(name.length + 2).matchAll(/(?<=[ (])\/([a-z]+)\b(?!\.md)/g)) {
        const isHere = commandCalled(command, here) !== undefined;
        expect(isHere || answer.includes(` /${command} is `) || command === "review", `${name}: ${answer}`).toBe(true);
      }
    }
  },
);

test.each(["bug", "feedback"])("/%s names the issue tracker of the manual page", async (name) => {
  const [, address = "none"] = /Reports are welcome at (https:\S+);/.exec(manPage("1").replaceAll("\\", "")) ?? [];
  expect(await noSuchCommand(name, commands, session)).toContain(`Report problems at ${address}, with`);
});

/** The advice for a command in line mode or with -p, without the sentence that names it. */
const elsewhere = async (name: string, isPrint: boolean) =>
  (await noSuchCommand(name, isPrint ? [] : slashCommands, session, isPrint ? "print" : "lines")).replace(
    /^\/\S+ is [^.]+\. /,
    "",
  );

test("line mode sends to the full screen only for a command that there is nowhere else", async () => {
  const missing = commands.map(({ name }) => name).filter((name) => !commandCalled(name, slashCommands));
  const told = Object.fromEntries(await Promise.all(missing.map(async (name) => [name, await elsewhere(name, false)])));
  expect(Object.keys(told)).toEqual(Object.keys(insteadInLines));
  expect(told).toEqual(insteadInLines);
  expect(told.doctor).toBe("In a shell: ikigai doctor");
});

test("-p names for each command what does the same", async () => {
  for (const { name, aliases = [] } of commands)
    for (const typed of [name, ...aliases])
      expect([typed, await elsewhere(typed, true)]).toEqual([typed, insteadInPrint[name as SlashCommandName]]);
  const HOME = await tempDir();
  for (const [prompt, advice] of [
    ["/model x", "/model is for a conversation, not for -p. To choose a model: --model PROVIDER/MODEL"],
    ["/exit", "/quit is for a conversation, not for -p. -p ends with its answer."],
  ] as const) {
    const { exitCode, stderr } = await ikigai(["-p", prompt, "--model", "offline"], { env: { HOME } });
    expect([exitCode, stderr.split("\n", 1)[0]]).toEqual([2, `ikigai: ${advice}`]);
  }
});

test("the options and commands of a shell that these answers name exist", () => {
  const answers = [...Object.values(insteadInLines), ...Object.values(insteadInPrint)].join("\n");
  const options = answers.match(/(?<=--)[a-z-]+/g) ?? [];
  for (const option of options) expect(Object.keys(mainOptions)).toContain(option);
  const named = [...answers.matchAll(/\bikigai ((?:tool |config )?[a-z]+)(?=$|[ .])/gm)].map(([, words = ""]) => words);
  expect(named.length).toBeGreaterThan(5);
  for (const words of named)
    if (!/^(?:on|without)$/.test(words)) expect(findCommand(words.split(" "))?.name).toBe(words);
});

test("in line mode, commands that need the full screen say so", async () => {
  const home = await tempDir({ ".ikigai/AGENTS.md": "Be brief.\nAlways.\n" });
  const cwd = await tempDir({ "AGENTS.md": "Use tabs.\n" });
  const { stdout } = await ikigai(["--model", "offline"], {
    cwd,
    env: { HOME: home },
    typed: "/mcp\n/compact\n/undo\n/cost\n/memory\n/clear\n/status\n/q\nno more",
  });
  expect(stdout).toContain("/mcp: In a shell: ikigai mcp list shows the MCP servers,");
  expect(stdout).toContain("\nNo messages yet.\n");
  expect(stdout).toContain(
    "/rewind is not in line mode. It needs the full screen: start ikigai on a terminal, without",
  );
  expect(stdout).toMatch(/ {2}model {8}offline\/plain-requests\n[\s\S]* {2}tokens {7}none yet\n/);
  expect(stdout).toMatch(
    /Read for every message, the most specific last:\n {2}~\/.ikigai\/AGENTS.md {2}2 lines\n {2}.*\/AGENTS.md {2}1 line\n/,
  );
  const [first, second] = [...stdout.matchAll(/ {2}session {6}(\S+)/g)].map(([, id]) => id);
  expect(stdout).toContain("A new session.\n");
  expect(second).not.toBe(first);
  expect(stdout).not.toContain("no more");
});
