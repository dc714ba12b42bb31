// @module-tag sampled
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openEditor } from "./acp-editor.ts";
import { openFull } from "./full/open-full.ts";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

/** Files with the name of a command, with one that only the full screen has, with an alias, and from Claude Code. */
const files = {
  ".ikigai/commands/help.md": "not help\n",
  ".ikigai/commands/export.md": "not export\n",
  ".ikigai/commands/tasks.md": "List my tasks\n",
  ".ikigai/commands/exit.md": "The way out\n",
  ".ikigai/commands/pr.md": "Changes:\n\n!`git diff` and !`git log`\n\nDescribe them.\n",
};
const unused = (name: string) =>
  `~/.ikigai/commands/${name}.md is not used: /${name} is a command of ikigai. Give the file another name.`;
const notRun =
  "~/.ikigai/commands/pr.md: !`git diff` is sent as text, and not run. Let the file tell the model to run it.";
const model = ["--model", "openai-compatible/m"];

async function place() {
  const server = await startModel(Array(5).fill({ text: "Seen." }));
  const home = await tempDir(files);
  const options = { cwd: await tempDir(), env: { ...server.env, HOME: home } };
  const said = () => server.requests.map(({ messages }) => messages.at(-1)?.content);
  return { home, server, options, said, print: (prompt: string) => ikigai(["-p", prompt, ...model], options) };
}

test("-p sends the file for an alias, and no file for a name of ikigai's", async () => {
  const { print, said } = await place();
  expect((await print("/tasks")).stdout).toBe("Seen.\n");
  expect((await print("/exit")).stdout).toBe("Seen.\n");
  expect(await print("/help")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(
      `${unused("help")} /help is for a conversation, not for -p. In a shell: ikigai help\n`,
    ),
  });
  expect(said()).toEqual(["List my tasks", "The way out"]);
});

test("line mode does the same, and /help lists the files that are not used", async () => {
  const { options, said } = await place();
  const { stdout } = await ikigai(model, {
    ...options,
    typed: "/tasks\n/help tasks\n/export\n/help\n/exit\n/quit\nno more",
  });
  expect(stdout).toContain("/tasks   List my tasks\nA command of the user: ~/.ikigai/commands/tasks.md\n");
  expect(stdout).toContain(`${unused("export")}\n/export needs the full screen,`);
  expect(stdout).toContain(`\n${unused("export")}\n${unused("help")}\n\n/help TOPIC explains:\n`);
  expect(said()).toEqual(["List my tasks", "The way out"]);
});

test("the full screen does the same", async () => {
  const { options, said } = await place();
  const { terminal } = await openFull([], { ...options, columns: 130, rows: 60 });
  terminal.type("/tasks\r");
  await terminal.waitFor("Seen.");
  expect(said()).toEqual(["List my tasks"]);
  terminal.type("/export md\r");
  await terminal.waitFor("Exported to");
  terminal.type("/help\r");
  await terminal.waitFor(unused("export"));
});

test("an editor is offered no command that is not used, and gets a word about its file", async () => {
  const { home, server, options, said } = await place();
  const { editor, prompt } = await openEditor(options.cwd, { args: model, home, env: server.env });
  await editor.ask("session/prompt", prompt("/help"));
  await editor.ask("session/prompt", prompt("/tasks"));
  expect(said()).toEqual(["/help", "List my tasks"]);
  const names = editor.updates("available_commands_update").map((update) => JSON.stringify(update));
  expect(names.join()).toContain('"tasks"');
  expect(names.join()).not.toContain('"help"');
  expect(JSON.stringify(editor.updates("agent_thought_chunk"))).toContain(unused("help"));
});

test("doctor names the files that are not used, also of a trusted project", async () => {
  const { options } = await place();
  const cwd = await tempDir({ ".ikigai/commands/new.md": "not new\n" });
  expect((await ikigai(["trust", "--yes"], { ...options, cwd })).exitCode).toBe(0);
  const { stdout } = await ikigai(["doctor"], { ...options, cwd });
  expect(stdout).toContain(`~ ${unused("help")}\n`);
  expect(stdout).toContain("~ .ikigai/commands/new.md is not used: /new is a command of ikigai.");
  expect(stdout).not.toMatch(/(?:tasks|pr)\.md/);
});

test("reports once that ikigai does not run the commands in a file", async () => {
  const { print, options, said, server, home } = await place();
  expect((await print("/pr")).stderr).toBe(`${notRun}\n`);
  expect(said()[0]).toContain("!`git diff` and !`git log`");
  const { stdout } = await ikigai(model, { ...options, typed: "/pr\n/pr\n" });
  expect(stdout.split(notRun)).toHaveLength(2);
  const { editor, prompt } = await openEditor(options.cwd, { args: model, home, env: server.env });
  await editor.ask("session/prompt", prompt("/pr"));
  expect(JSON.stringify(editor.updates("agent_thought_chunk"))).toContain(notRun);
  const { terminal } = await openFull([], { ...options, columns: 130 });
  terminal.type("/pr\r");
  await terminal.waitFor("Seen.");
  expect(terminal.screen()).toContain(notRun);
});
