// @module-tag sampled
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type EditorOptions, openEditor, select } from "./acp-editor.ts";
import { type HookWorld, hookWorld, projectHook, userHook } from "./hook-world.ts";

/** An editor in the project of a user with hooks. */
function open({ home, project }: HookWorld, args: EditorOptions["args"] = []) {
  return openEditor(project, { home, args: ["--model", "offline", ...args] });
}

test("a hook denies a call of an editor's session that a rule allows", async () => {
  const here = await hookWorld({});
  userHook(here, "before-call/bash/guard", "echo 'not here' >&2", "exit 2");
  const { editor, prompt } = await open(here, ["--allow", "bash"]);
  await editor.ask("session/prompt", prompt("run touch made"));
  expect(editor.updates("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  expect(JSON.stringify(editor.updates("tool_call_update").at(-1))).toContain("denies it: not here");
  expect(existsSync(join(here.project, "made"))).toBe(false);
});

test("a broken hook asks in the editor, and names itself", async () => {
  const here = await hookWorld({});
  const path = userHook(here, "before-call/guard", "exit 1");
  const { editor, prompt } = await open(here, ["--permission-mode", "allow"]);
  const id = editor.post("session/prompt", prompt("run touch made"));
  const question = await editor.question();
  expect(JSON.stringify(question.params.toolCall)).toContain(`${path} is broken: exit 1`);
  editor.write(select(question, "allow_once"));
  expect((await editor.answer(id)).result?.stopReason).toBe("end_turn");
  expect(existsSync(join(here.project, "made"))).toBe(true);
});

test.each(["exit 1", "exit 2"])("a prompt hook with %s fails the prompt, and nothing is sent", async (line) => {
  const here = await hookWorld({});
  userHook(here, "prompt/guard", line);
  const { editor, prompt } = await open(here, ["--permission-mode", "allow"]);
  const { error } = await editor.ask("session/prompt", prompt("run touch made"));
  expect(error).toMatchObject({ data: { code: "hook" } });
  expect(error?.message).toContain("guard");
  expect(existsSync(join(here.project, "made"))).toBe(false);
});

test("an untrusted project's hooks do not run, and the editor says so", async () => {
  const here = await hookWorld({});
  projectHook(here, "before-call/evil", `: > "${here.home}/pwned"`);
  const { editor, prompt } = await open(here, ["--allow", "bash"]);
  await editor.ask("session/prompt", prompt("run echo hi"));
  expect(JSON.stringify(editor.updates("agent_thought_chunk"))).toContain("1 project hook not trusted");
  expect(existsSync(join(here.home, "pwned"))).toBe(false);
});
