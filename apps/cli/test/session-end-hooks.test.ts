// @module-tag sampled
import { expect, test } from "vitest";
import { openEditor } from "./acp-editor.ts";
import { hookWorld, projectHook, userHook } from "./hook-world.ts";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { openFullScreen, openTerminal } from "./terminal.ts";

/** A user whose hook for the end of a session is broken, and the notice about it. */
async function broken() {
  const here = await hookWorld({});
  const path = userHook(here, "session-end/clean", "echo lost >&2", "exit 1");
  return { here, said: `The hook ${path} is broken: exit 1: lost.\n` };
}

test("print mode says that a hook for the end is broken", async () => {
  const { here, said } = await broken();
  expect(await here.run("-p", "run echo hi", "--allow", "bash", "--model", "offline")).toMatchObject({
    exitCode: 0,
    stdout: "hi\n",
    stderr: expect.stringContaining(said),
  });
});

test("so does line mode, once, also about a conversation that was left", async () => {
  const { here, said } = await broken();
  const options = { cwd: here.project, env: { HOME: here.home } };
  for (const lines of [["first"], ["first", "/new"], ["first", "/new", "second", "/new", "third"]]) {
    const end = await ikigai(["--model", "offline"], { ...options, typed: `${lines.join("\n")}\n` });
    expect(`${end.stdout}${end.stderr}`.split(said)).toHaveLength(2);
  }
});

test("print mode says that a project's hook for the end is not trusted", async () => {
  const here = await hookWorld({});
  projectHook(here, "session-end/clean", "exit 0");
  const { stderr } = await here.run("-p", "help", "--model", "offline");
  expect(stderr).toContain("1 project hook not trusted: session-end/clean — ikigai trust\n");
});

test.each([
  ["lines", openTerminal],
  ["the full screen", openFullScreen],
])("a terminal with %s shows it after the end", async (_, open) => {
  const { here, said } = await broken();
  const model = await startModel([]);
  const terminal = await open(["--model", "openai-compatible/m"], { env: { HOME: here.home, ...model.env } });
  await terminal.waitFor(/^[›>]/m);
  terminal.type("hello\r");
  await terminal.waitFor("Done.");
  terminal.type("\u0004");
  const screen = await terminal.waitFor("is broken: exit 1: lost.");
  expect(screen.replaceAll("\n", "")).toContain(said.trim());
  expect(await terminal.exitCode).toBe(0);
});

test("an editor's log has it", async () => {
  const { here, said } = await broken();
  const { editor, prompt } = await openEditor(here.project, { home: here.home, args: ["--model", "offline"] });
  await editor.ask("session/prompt", prompt("help"));
  expect(await editor.end()).toBe(0);
  expect(editor.stderr()).toContain(said);
});

test("the full screen shows it after a signal, too", async () => {
  const { here, said } = await broken();
  const model = await startModel([]);
  const terminal = await openFullScreen(["--model", "openai-compatible/m"], { env: { HOME: here.home, ...model.env } });
  await terminal.waitFor(/^[›>]/m);
  terminal.type("hello\r");
  await terminal.waitFor("Done.");
  terminal.kill("SIGTERM");
  expect((await terminal.waitFor("is broken: exit 1: lost.")).replaceAll("\n", "")).toContain(said.trim());
});
