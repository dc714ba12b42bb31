// @module-tag sampled
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { startModel } from "../model-server.ts";
import { openFullScreen } from "../terminal.ts";
import { openFull } from "./open-full.ts";

test("sends the user's and the project's AGENTS.md to the model, nearest last", async () => {
  const home = await tempDir({ ".ikigai/AGENTS.md": "I like tabs." });
  const cwd = await tempDir({ ".git/HEAD": "ref: refs/heads/main\n", "AGENTS.md": "Root says.", "CLAUDE.md": "No." });
  const { terminal, model } = await openFull([{ text: "Understood." }], { cwd, env: { HOME: home } });
  terminal.type("go\r");
  await terminal.waitFor("Understood.");
  const system = String(model.requests[0]?.messages[0]?.content);
  expect(system).toMatch(/I like tabs\.[\s\S]*Root says\./);
  expect(system).not.toContain("No.");
});

test("a project's commands exist only after it is trusted", async () => {
  const cwd = await tempDir({ ".ikigai/commands/ship.md": "Ship $1 now." });
  const { terminal, model } = await openFull([{ text: "Shipped." }], { cwd });
  await terminal.waitFor("Trust this?");
  terminal.type("n\r");
  await terminal.waitFor("Not trusted: ikigai uses none of it.");
  terminal.type("/ship it\r");
  await terminal.waitFor("/ship is a command of the project, which is not trusted. See: /trust");
  expect(model.requests).toEqual([]);
  terminal.type("/trust\r");
  await terminal.waitFor(/See: \/trust[\s\S]*Trust this\?/);
  terminal.type("y\r");
  await terminal.waitFor(/is trusted|Trusted/);
  terminal.type("/shi");
  await terminal.waitFor("(project)");
  terminal.type("p it\r");
  await terminal.waitFor("Shipped.");
  expect(model.requests[0]?.messages.at(-1)?.content).toBe("Ship it now.");
});

test("a project command that has changed is not sent, and the next message says so", async () => {
  const cwd = await tempDir({ ".ikigai/commands/ship.md": "Ship it." });
  const { terminal, model } = await openFull([{ text: "Shipped." }, { text: "Fine." }], { cwd });
  await terminal.waitFor("Trust this?");
  terminal.type("y\r");
  await terminal.waitFor(/is trusted|Trusted/);
  terminal.type("/ship\r");
  await terminal.waitFor("Shipped.");
  writeFileSync(join(cwd, ".ikigai/commands/ship.md"), "Sink it.");
  // Pasted: completion would load the commands again.
  terminal.type("\u001b[200~/ship\u001b[201~\r");
  await terminal.waitFor("/ship is a command of the project, which is no longer trusted (files changed). See: /trust");
  expect(model.requests).toHaveLength(1);
  terminal.type("hello\r");
  await terminal.waitFor(/The project is no longer trusted \(files changed\) — \/trust[\s\S]*Fine\./);
});

test("a command of the user is sent as its file is now", async () => {
  const home = await tempDir({ ".ikigai/commands/ship.md": "Ship it." });
  const { terminal, model } = await openFull([{ text: "Shipped." }, { text: "Sunk." }], { env: { HOME: home } });
  terminal.type("/ship\r");
  await terminal.waitFor("Shipped.");
  writeFileSync(join(home, ".ikigai/commands/ship.md"), "Sink it.");
  terminal.type("\u001b[200~/ship\u001b[201~\r");
  await terminal.waitFor("Sunk.");
  expect(model.requests[1]?.messages.at(-1)?.content).toBe("Sink it.");
});

test("the footer shows the cost if the price is known", async () => {
  // The server has only the chat API; the first request is to the other one.
  const { env } = await startModel([{ text: "?" }, { text: "Not cheap." }]);
  const { OPENAI_COMPATIBLE_BASE_URL: url = "" } = env;
  const terminal = await openFullScreen(["--model", "openai/gpt-5"], {
    env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: "sk-test-not-a-key" },
  });
  await terminal.waitFor(/openai\/gpt-5$/);
  terminal.type("go\r");
  await terminal.waitFor("Not cheap.");
  await terminal.waitFor(/context 0 % of \d+ k · \$0\.00\d · openai\/gpt-5/);
});

/** A home with `screen.full` on. */
async function wantsFull() {
  return tempDir({ ".ikigai/config.json": '{"screen":{"full":true},"permission":{"readOnlyCommands":false}}' });
}

test.each([{ TERM: "dumb" }, { LANG: "C" }])(
  "with %j uses line mode without any escape sequence",
  async (variables) => {
    const model = await startModel([{ text: "Well." }]);
    const terminal = await openFullScreen(["--model", "openai-compatible/m"], { env: { ...model.env, ...variables } });
    await terminal.waitForPrompt();
    terminal.type("go\r");
    await terminal.waitFor("Well.");
    expect(terminal.raw()).not.toContain("\u001b");
  },
);

test("NO_COLOR shows the full screen without colours", async () => {
  const text = "# Title\n\n```js\nconst a = 1;\n```\n\n- `code`";
  const call = { calls: [{ name: "file_write", arguments: { file_path: "a.txt", content: "one\n" } }] };
  const { terminal } = await openFull([call, { text }], { env: { NO_COLOR: "1" } });
  // The terminal reports a dark background, for which the theme has backgrounds.
  terminal.type("\u001b]11;rgb:0000/0000/0000\u0007");
  terminal.type("go\r");
  await terminal.waitFor("Run file_write?");
  terminal.type("y");
  await terminal.waitFor("const a = 1;");
  terminal.type("\t/he");
  await terminal.waitFor("/help");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles
  const looks = [...terminal.raw().matchAll(/\u001b\[([\d;]*)m/g)].flatMap(([, codes = ""]) => codes.split(";"));
  expect(looks).toContain("1");
  expect(looks.filter((code) => Number(code) >= 30)).toEqual([]);
  expect(terminal.screen()).toContain("─".repeat(100));
});

test("with LANG=C the full screen is drawn in ASCII, and content is unchanged", async () => {
  const call = { text: "Ich prüfe:\n\n- eins", calls: [{ name: "bash", arguments: { command: "seq 1 60" } }] };
  const { terminal } = await openFull([call, { text: "| a | b |\n|---|---|\n| 1 | 2 |" }], {
    env: { HOME: await wantsFull(), LANG: "C" },
  });
  terminal.type("größer\r");
  await terminal.waitFor("Run bash?");
  terminal.type("y");
  await terminal.waitFor("| 1");
  const screen = terminal.screen();
  expect(screen).toContain("> größer");
  expect(screen).toContain("* bash  seq 1 60");
  expect(screen).toMatch(/\.\.\. \d+ lines/);
  expect(screen).toContain("-".repeat(100));
  expect(terminal.raw().replace(/größer|prüfe/g, "")).not.toMatch(/[\u0080-\uffff]/);
});
