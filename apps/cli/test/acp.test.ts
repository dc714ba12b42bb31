// Promise 5 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { openEditor, select, startEditor } from "./acp-editor.ts";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { ikigai, some, until } from "./ikigai.ts";
import { type Step, startModel } from "./model-server.ts";

const offline = ["--model", "offline"];
const notes = { "notes.txt": "alpha\nbeta\n" };

async function withModel(steps: readonly Step[], cwd: string, args: readonly string[] = [], home?: string) {
  const { env, requests } = await startModel(steps);
  const options = { args: ["--model", "openai-compatible/m", ...args], env, ...(home !== undefined && { home }) };
  return { ...(await openEditor(cwd, options)), requests };
}

test("a parse error is -32700, and nothing else is printed", async () => {
  const { stdout, exitCode } = await ikigai(["acp"], { stdin: "not json\n" });
  expect(JSON.parse(stdout)).toEqual({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } });
  expect(exitCode).toBe(0);
});

test("tells its capabilities, modes and model", async () => {
  const editor = await startEditor({ args: offline });
  const { result } = await editor.ask("initialize", { protocolVersion: 1 });
  expect(result).toMatchObject({
    protocolVersion: 1,
    authMethods: [],
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    },
  });
  const { opened } = await openEditor(await tempDir(), { args: [...offline, "--permission-mode", "plan"] });
  expect(opened.modes.currentModeId).toBe("plan");
  expect(opened.modes.availableModes.map(({ id }) => id)).toEqual(
    hasBubblewrap ? ["plan", "ask", "auto", "allow"] : ["plan", "ask", "edits", "allow"],
  );
  // An editor has neither -p nor a call in view.
  const ask = opened.modes.availableModes.find(({ id }) => id === "ask");
  expect(ask?.description).toBe("Ask before each call that no rule decides");
  expect(opened.configOptions).toMatchObject([{ id: "model", type: "select", currentValue: "offline/plain-requests" }]);
});

test("a finished plan is carried out after a yes, in the mode and with the model that this takes", async () => {
  const { env, requests } = await startModel([{ text: "1. nothing\n\nThe plan is complete." }, { text: "Did it." }]);
  const home = await tempDir();
  for (const [key, value] of [
    ["model", "openai-compatible/work"],
    ["models.plan", "openai-compatible/thinker"],
  ] as const)
    await ikigai(["config", "set", key, value], { env: { HOME: home, ...env } });
  const options = { args: ["--permission-mode", "plan"], env, home };
  const { editor, opened, sessionId, prompt } = await openEditor(await tempDir(), options);
  expect(opened.configOptions).toMatchObject([{ currentValue: "openai-compatible/thinker" }]);
  const answered = editor.ask("session/prompt", prompt("plan it"));
  const question = await editor.question();
  expect(question.params.toolCall).toMatchObject({ title: "Carry out this plan?", kind: "switch_mode" });
  editor.write(select(question, "y"));
  expect((await answered).result).toEqual({ stopReason: "end_turn" });
  expect(requests.map((request) => (request as unknown as { model: string }).model)).toEqual(["thinker", "work"]);
  expect(editor.updates("current_mode_update")).toMatchObject([{ currentModeId: "ask" }]);
  await editor.ask("session/set_mode", { sessionId, modeId: "plan" });
  expect(editor.updates("config_option_update")).toMatchObject([
    { configOptions: [{ currentValue: "openai-compatible/work" }] },
    { configOptions: [{ currentValue: "openai-compatible/thinker" }] },
  ]);
});

test("reads a file without a question, and shows the call", async () => {
  const cwd = await tempDir(notes);
  const { editor, prompt } = await openEditor(cwd, { args: offline });
  const { result } = await editor.ask("session/prompt", prompt("read notes.txt"));
  expect(result).toEqual({ stopReason: "end_turn" });
  expect(editor.updates("tool_call")).toMatchObject([
    {
      title: "file_read: `notes.txt`",
      name: "file_read",
      kind: "read",
      status: "pending",
      rawInput: { file_path: "notes.txt" },
      locations: [{ path: join(realpathSync(cwd), "notes.txt") }],
    },
  ]);
  expect(editor.updates("tool_call_update").map(({ status }) => status)).toEqual(["in_progress", "completed"]);
  expect(editor.updates("tool_call_update").at(-1)?.rawOutput).toMatchObject({
    tool_success: true,
    result: { output: "alpha\nbeta\n" },
  });
  expect(await editor.end()).toBe(0);
  expect(editor.stderr()).toBe("");
});

describe("a question", () => {
  test("shows the whole command, the tool and its scope", async () => {
    const command = `touch made # ${"x".repeat(300)}\ntouch also`;
    const { editor, prompt } = await withModel(
      [{ calls: [{ name: "bash", arguments: { command } }] }],
      await tempDir(),
    );
    const id = editor.post("session/prompt", prompt("go"));
    const question = await editor.question();
    const { toolCall, options } = question.params;
    expect(toolCall.title).toBe(`bash (system): \`${command.replace("\n", "␊")}\``);
    expect(toolCall.content[0]?.content?.text).toContain(`\`\`\`\n${command}\n\`\`\``);
    expect(toolCall.content[0]?.content?.text).toMatch(/Tool: `bash` \(system\), runs `\/.*\/bash-tool`/);
    expect(toolCall).toMatchObject({ kind: "execute", status: "pending", rawInput: { command } });
    expect(options).toMatchObject([
      { kind: "allow_once" },
      { kind: "allow_always", name: "Allow in this session: bash(touch made) and bash(touch also)" },
      { kind: "allow_always", name: "Always allow in this project: bash(touch made) and bash(touch also)" },
      { kind: "allow_always", name: "Always allow, in all projects: bash(touch made) and bash(touch also)" },
      { kind: "reject_once" },
    ]);
    editor.write(select(question, "reject"));
    expect((await editor.answer(id)).result).toEqual({ stopReason: "end_turn" });
    expect(editor.updates("tool_call_update").at(-1)).toMatchObject({
      status: "failed",
      rawOutput: { error_code: "TOOL_DENIED" },
    });
  });

  test("shows a change as a diff, with the real path of a link", async () => {
    const cwd = await tempDir({ ...notes, link: { link: "notes.txt" } });
    const call = { name: "file_edit", arguments: { file_path: "link", old_string: "beta", new_string: "gamma" } };
    const { editor, prompt } = await withModel([{ calls: [call] }], cwd);
    const id = editor.post("session/prompt", prompt("go"));
    const question = await editor.question();
    const [diff, facts] = question.params.toolCall.content;
    const real = join(realpathSync(cwd), "notes.txt");
    expect(diff).toEqual({
      type: "diff",
      path: join(realpathSync(cwd), "link"),
      oldText: "alpha\nbeta\n",
      newText: "alpha\ngamma\n",
    });
    expect(question.params.toolCall.title).toBe(`file_edit (system): \`${real}\``);
    expect(facts?.content?.text).toContain(`Real path: \`${real}\``);
    expect(readFileSync(real, "utf8")).toContain("beta");
    editor.write(select(question, "allow_once"));
    await editor.answer(id);
    expect(readFileSync(real, "utf8")).toBe("alpha\ngamma\n");
    expect(editor.updates("tool_call_update").at(-1)?.content[0]?.type).toBe("diff");
  });

  test("hides nothing in Markdown, control characters or backticks", async () => {
    const command = "echo <!-- hidden --> ``` \u202e\u001b[2K \u200b; touch made";
    const { editor, prompt } = await withModel(
      [{ calls: [{ name: "bash", arguments: { command } }] }],
      await tempDir(),
    );
    editor.post("session/prompt", prompt("go"));
    const { title, content } = (await editor.question()).params.toolCall;
    const shown = "echo <!-- hidden --> ``` <U+202E>␛[2K <U+200B>; touch made";
    expect(title).toBe(`bash (system): \`\`\`\`${shown}\`\`\`\``);
    expect(content[0]?.content?.text).toContain(`\`\`\`\`\n${shown}\n\`\`\`\``);
  });

  test("an answer for the session holds for the same call only", async () => {
    const cwd = await tempDir();
    const bash = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });
    const { editor, prompt } = await withModel([bash("touch a"), bash("touch a"), bash("touch b")], cwd);
    const id = editor.post("session/prompt", prompt("go"));
    editor.write(select(await editor.question(), "allow_session"));
    const second = await editor.question();
    expect(second.params.toolCall.rawInput.command).toBe("touch b");
    editor.write(select(second, "reject"));
    await editor.answer(id);
    expect([existsSync(join(cwd, "a")), existsSync(join(cwd, "b"))]).toEqual([true, false]);
  });

  test.each(
    some(3, [
      ["an option that was not offered", { outcome: { outcome: "selected", optionId: "yes" } }],
      ["a cancellation", { outcome: { outcome: "cancelled" } }],
      ["nonsense", { outcome: { outcome: "allow_once" } }],
      ["nothing", {}],
    ]),
  )("%s denies the call", async (_, result) => {
    const cwd = await tempDir();
    const { editor, prompt } = await withModel(
      [{ calls: [{ name: "bash", arguments: { command: "touch made" } }] }],
      cwd,
    );
    const id = editor.post("session/prompt", prompt("go"));
    const question = await editor.question();
    // An answer for other requests changes nothing.
    for (const other of [-1, 999, "0", null]) editor.write({ ...select(question, "allow_once"), id: other });
    editor.write({ jsonrpc: "2.0", id: question.id, result });
    expect((await editor.answer(id)).result).toBeDefined();
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });

  test("a file of the project that a question cannot allow for a session offers no such option", async () => {
    const call = { name: "file_write", arguments: { file_path: ".ikigai/tools/x-tool", content: "#!/bin/sh\n" } };
    const { editor, prompt } = await withModel([{ calls: [call] }], await tempDir());
    const id = editor.post("session/prompt", prompt("go"));
    const question = await editor.question();
    expect(question.params.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
    editor.write(select(question, "allow_session"));
    await editor.answer(id);
    expect(editor.updates("tool_call_update").at(-1)?.rawOutput).toMatchObject({ error_code: "TOOL_DENIED" });
  });
});

test("cancel stops a running call, as Esc does", async () => {
  const cwd = await tempDir();
  const command = "touch started; exec sleep 1000";
  const { editor, sessionId, prompt } = await withModel([{ calls: [{ name: "bash", arguments: { command } }] }], cwd, [
    "--allow",
    "bash",
  ]);
  const id = editor.post("session/prompt", prompt("go"));
  await until(() => existsSync(join(cwd, "started")), "the command");
  expect((await editor.ask("session/prompt", prompt("again"))).error).toMatchObject({ code: -32600 });
  editor.write({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
  expect((await editor.answer(id)).result).toEqual({ stopReason: "cancelled" });
  expect(editor.updates("tool_call_update").at(-1)?.rawOutput).toMatchObject({ error_code: "TOOL_CANCELLED" });
  expect((await editor.ask("session/prompt", prompt("again"))).result).toEqual({ stopReason: "end_turn" });
});

test("an editor that goes while a question is open denies it, and leaves nothing running", async () => {
  const cwd = await tempDir();
  // Recognizable among all processes of the machine.
  const command = `sleep 4000.${process.pid}`;
  const calls = [command, "touch made"].map((one) => ({ name: "bash", arguments: { command: one } }));
  const { editor, prompt } = await withModel([{ calls }], cwd, ["--allow", "bash(sleep*)"]);
  editor.post("session/prompt", prompt("go"));
  await editor.question();
  const isRunning = () => execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).includes(`\n${command}\n`);
  await until(isRunning, "the command");
  expect(await editor.end()).toBe(0);
  expect({ isRunning: isRunning(), isMade: existsSync(join(cwd, "made")) }).toEqual({
    isRunning: false,
    isMade: false,
  });
});

test("with no model, a prompt answers with how to set one up", async () => {
  const { editor, prompt } = await openEditor(await tempDir());
  expect((await editor.ask("session/prompt", prompt("hi"))).result).toEqual({ stopReason: "end_turn" });
  expect(editor.text()).toMatch(/^No model is set up\. .*ikigai setup/s);
});

test("a failure is an error with the sentence, a refusal and too many requests are stop reasons", async () => {
  const call = { calls: [{ name: "glob", arguments: { pattern: "*" } }] };
  const steps = [{ text: "cut", finish: "length" }, { text: "", finish: "content_filter" }, call];
  const { editor, prompt } = await withModel(steps, await tempDir(), ["--max-turns", "1"]);
  const { error } = await editor.ask("session/prompt", prompt("go"));
  expect(error).toMatchObject({ code: -32603, data: { code: "cut_off" }, message: expect.stringMatching(/^The resp/) });
  expect((await editor.ask("session/prompt", prompt("go"))).result).toEqual({ stopReason: "refusal" });
  expect((await editor.ask("session/prompt", prompt("go"))).result).toEqual({ stopReason: "max_turn_requests" });
});

test("a file written in between is seen: the editor's own buffers are not", async () => {
  const cwd = await tempDir(notes);
  const { editor, prompt } = await openEditor(cwd, { args: offline });
  writeFileSync(join(cwd, "notes.txt"), "saved\n");
  await editor.ask("session/prompt", prompt("read notes.txt"));
  expect(editor.updates("tool_call_update").at(-1)?.rawOutput.result?.output).toBe("saved\n");
});
