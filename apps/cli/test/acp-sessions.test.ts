// Promise 5 of SECURITY.md.
// @module-tag sampled
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { openEditor, startEditor } from "./acp-editor.ts";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

const args = ["--model", "offline"];
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A home with a session of `cwd`, in which a file was read. */
async function withStored() {
  const home = await tempDir();
  const cwd = await tempDir({ "notes.txt": "alpha\n" });
  const { editor, sessionId, prompt } = await openEditor(cwd, { args, home });
  await editor.ask("session/prompt", prompt("read notes.txt"));
  const sent = editor.updates();
  await editor.end();
  return { home, cwd, sessionId, sent };
}

test("loads, resumes, lists and closes a session", async () => {
  const { home, cwd, sessionId, sent } = await withStored();
  const editor = await startEditor({ args, home });
  await editor.ask("initialize", { protocolVersion: 1 });
  const { result } = await editor.ask("session/list", { cwd });
  expect(result?.sessions).toMatchObject([{ sessionId, cwd: realpathSync(cwd), title: "read notes.txt" }]);

  const loaded = await editor.ask("session/load", { sessionId, cwd, mcpServers: [] });
  expect(loaded.result?.modes.currentModeId).toBe("ask");
  const [said, call, end, answer] = editor.updates();
  expect(said).toEqual({ sessionUpdate: "user_message_chunk", content: { type: "text", text: "read notes.txt" } });
  expect(call).toEqual(sent.find(({ sessionUpdate }) => sessionUpdate === "tool_call"));
  expect(end).toMatchObject({ sessionUpdate: "tool_call_update", status: "completed" });
  expect(answer?.sessionUpdate).toBe("agent_message_chunk");

  expect((await editor.ask("session/close", { sessionId })).result).toEqual({});
  const prompt = [{ type: "text", text: "read notes.txt" }];
  expect((await editor.ask("session/prompt", { sessionId, prompt })).error?.code).toBe(-32602);
  const before = editor.updates("user_message_chunk").length;
  expect((await editor.ask("session/resume", { sessionId, cwd })).result?.configOptions).toHaveLength(1);
  expect((await editor.ask("session/prompt", { sessionId, prompt })).result).toEqual({ stopReason: "end_turn" });
  expect(editor.updates("user_message_chunk")).toHaveLength(before);
  const log = await ikigai(["tool", "log", sessionId, "--json"], { cwd, env: { HOME: home } });
  expect(JSON.parse(log.stdout).calls).toHaveLength(2);
});

test("a session that another ikigai has open is not opened", async () => {
  const { home, cwd, sessionId } = await withStored();
  const first = await startEditor({ args, home });
  await first.ask("initialize", { protocolVersion: 1 });
  await first.ask("session/resume", { sessionId, cwd });
  const second = await startEditor({ args, home });
  await second.ask("initialize", { protocolVersion: 1 });
  const { error } = await second.ask("session/load", { sessionId, cwd, mcpServers: [] });
  expect(error).toMatchObject({ code: -32603, data: { code: "session_open" } });
});

describe("a hostile editor", () => {
  test("opens no session by a part of its ID, a path, or from another directory", async () => {
    const { home, cwd, sessionId } = await withStored();
    const other = await tempDir();
    const editor = await startEditor({ args, home });
    await editor.ask("initialize", { protocolVersion: 1 });
    const ids = [sessionId.slice(0, -1), "", "..", `../sessions/${sessionId}`, `${sessionId}.jsonl`, `${sessionId}\0`];
    for (const id of ids) {
      const { error } = await editor.ask("session/load", { sessionId: id, cwd, mcpServers: [] });
      expect({ id, code: error?.code }).toEqual({ id, code: -32602 });
    }
    const { error } = await editor.ask("session/load", { sessionId, cwd: other, mcpServers: [] });
    expect(error?.code).toBe(-32602);
  });

  test("gets an error for a directory that cannot be a project", async () => {
    const cwd = await tempDir({ file: "" });
    const editor = await startEditor({ args });
    await editor.ask("initialize", { protocolVersion: 1 });
    for (const wrong of [".", "", "..", join(cwd, "file"), join(cwd, "none"), `${cwd}\0`, 7]) {
      const { error } = await editor.ask("session/new", { cwd: wrong, mcpServers: [] });
      expect({ wrong, code: error?.code }).toEqual({ wrong, code: -32602 });
    }
  });

  test("gets errors for wrong values, and the session continues", async () => {
    const { editor, sessionId, prompt } = await openEditor(await tempDir({ "notes.txt": "alpha\n" }), { args });
    const wrong: [string, object][] = [
      ["session/set_mode", { sessionId, modeId: "deny" }],
      ["session/set_mode", { sessionId, modeId: "constructor" }],
      ["session/set_config_option", { sessionId, configId: "mode", value: "allow" }],
      ["session/set_config_option", { sessionId, configId: "model", value: "unknown/model" }],
      ["session/prompt", { sessionId, prompt: [] }],
      ["session/prompt", { sessionId, prompt: [{ type: "image", mimeType: "image/png", data: "AAAA" }] }],
      ["session/prompt", { sessionId: -1, prompt: [] }],
      ["session/prompt", { sessionId: "none", prompt: prompt("x").prompt }],
      ["session/list", { cursor: "-1" }],
      ["session/list", { cwd: "relative" }],
    ];
    for (const [method, params] of wrong) {
      const { error } = await editor.ask(method, params);
      expect({ params, code: error?.code }).toEqual({ params, code: -32602 });
    }
    expect((await editor.ask("session/none", {})).error?.code).toBe(-32601);
    editor.write({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "none" } });
    editor.write("[]");
    editor.write("7");
    for (let id = -50; id < 50; id++)
      editor.write({ jsonrpc: "2.0", id, result: { outcome: { outcome: "cancelled" } } });
    expect((await editor.ask("session/prompt", prompt("read notes.txt"))).result?.stopReason).toBe("end_turn");
  });

  test("is left when it sends a message without end", async () => {
    const editor = await startEditor({ args });
    const piece = "x".repeat(1_048_576);
    for (let sent = 0; sent < 66; sent++) editor.child.stdin?.write(piece);
    expect(await editor.end()).toBe(1);
    expect(editor.stderr()).toContain("exceeds the configured");
  });

  test("gets an error for a message that nests without end, and the next one is answered", async () => {
    const { editor } = await openEditor(await tempDir());
    const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    for (const [line, id] of [
      [`{"jsonrpc":"2.0","id":1,"method":${deep(100_000)}}`, 1],
      [`{"jsonrpc":"2.0","id":${deep(100_000)},"method":"session/list"}`, null],
    ] as const) {
      editor.write(line);
      expect((await editor.answer(id)).error?.code).toBe(-32_600);
    }
    editor.write(`{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"_meta":{"a":${deep(900)}}}}`);
    expect((await editor.answer(2)).result).toBeDefined();
  });

  test("opens at most 32 sessions", async () => {
    const { editor } = await openEditor(await tempDir(), { args });
    const cwd = await tempDir();
    const opened = await Promise.all(
      Array.from({ length: 40 }, () => editor.ask("session/new", { cwd, mcpServers: [] })),
    );
    expect(opened.filter(({ result }) => result)).toHaveLength(31);
    expect(opened.find(({ error }) => error)?.error).toMatchObject({ code: -32600 });
    // Node warns about a leak when something listens to the process once for each session.
    expect(editor.stderr()).toBe("");
  });
});

test("images, links and embedded files reach the model; a link's file is not read", async () => {
  const secret = await tempDir({ "secret.txt": "hidden" });
  const { env, requests } = await startModel([{ text: "I see." }]);
  const options = { args: ["--model", "openai-compatible/m"], env };
  const { editor, sessionId } = await openEditor(await tempDir(), options);
  const prompt = [
    { type: "text", text: "Look:" },
    { type: "image", mimeType: "image/png", data: png },
    { type: "resource_link", name: "secret", uri: `file://${secret}/secret.txt` },
    { type: "resource", resource: { uri: "file:///a/b.ts", text: "const b = 1;" } },
  ];
  expect((await editor.ask("session/prompt", { sessionId, prompt })).result?.stopReason).toBe("end_turn");
  const sent = JSON.stringify(requests[0]?.messages.at(-1));
  expect(sent).toContain(`data:image/png;base64,${png}`);
  expect(sent).toContain(`[secret](${secret}/secret.txt)`);
  expect(sent).toContain("From /a/b.ts:\\n\\nconst b = 1;");
  expect(sent).not.toContain("hidden");
});

test("offers the user's commands", async () => {
  const home = await tempDir({ ".ikigai/commands/look.md": "read notes.txt\n" });
  const { editor, prompt } = await openEditor(await tempDir({ "notes.txt": "alpha\n" }), { args, home });
  expect((await editor.ask("session/prompt", prompt("/look"))).result?.stopReason).toBe("end_turn");
  expect(editor.updates("available_commands_update")).toMatchObject([
    { availableCommands: [{ name: "look", description: "read notes.txt" }] },
  ]);
  expect(editor.updates("tool_call")).toHaveLength(1);
});

test("switches the mode and the model", async () => {
  const cwd = await tempDir();
  const { editor, sessionId, prompt } = await openEditor(cwd, { args });
  expect((await editor.ask("session/set_mode", { sessionId, modeId: "allow" })).result).toEqual({});
  await editor.ask("session/prompt", prompt("run echo made > made"));
  expect(readFileSync(join(cwd, "made"), "utf8")).toBe("made\n");
  const value = "offline";
  const { result } = await editor.ask("session/set_config_option", { sessionId, configId: "model", value });
  expect(result?.configOptions[0]?.currentValue).toBe("offline/plain-requests");
});

test("the settings in docs/editors.md start an agent", async () => {
  const page = readFileSync(fileURLToPath(new URL("../../../docs/editors.md", import.meta.url)), "utf8");
  const [, settings = ""] = /```json\n(.*?)```/s.exec(page) ?? [];
  const { command, args: given } = JSON.parse(settings).agent_servers.ikigai;
  expect(command).toBe("ikigai");
  const { stdout } = await ikigai(given, {
    stdin: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n',
  });
  expect(JSON.parse(stdout).result.protocolVersion).toBe(1);
});
