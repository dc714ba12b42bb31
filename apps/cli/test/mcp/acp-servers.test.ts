// Promise 10 of SECURITY.md.
// @module-tag sampled
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { httpServer } from "../../../../packages/mcp/test/http-server.ts";
import { select, startEditor } from "../acp-editor.ts";
import { hasBubblewrap } from "../has-bubblewrap.ts";
import { bin } from "../ikigai.ts";
import { startModel } from "../model-server.ts";
import { editorWith, filesBelow, openSession, scripted, startsIn } from "./acp-servers.ts";
import { mcpHome, scriptedServer } from "./mcp-home.ts";

const conversations = "cache/conversations";
const echo = { name: "echo", description: "Says it", inputSchema: { type: "object", properties: {} } };

describe("a server of the editor", () => {
  test("is called with the user's approval, and leaves nothing behind", async () => {
    const { editor, own, prompt } = await editorWith([scripted({}, { env: { KEY: "s3cret-value" } })]);
    const id = editor.post("session/prompt", prompt('mcp__test__echo {"message": "hello"}'));
    const question = await editor.question();
    const text = question.params.toolCall.content[0]?.content?.text ?? "";
    expect(text).toContain(`server test: ${process.execPath} ${scriptedServer}`);
    expect(text).toContain("Tool: `mcp__test__echo` (user), runs `");
    editor.write(select(question, "allow_once"));
    expect((await editor.answer(id)).result).toEqual({ stopReason: "end_turn" });
    expect(editor.updates("tool_call_update").at(-1)).toMatchObject({
      status: "completed",
      rawOutput: { result: { output: "Echo: hello" } },
    });
    const place = join(own, conversations, filesBelow(join(own, conversations))[0] ?? "");
    const secrets = join(place, "data/mcp-test/secrets.json");
    expect([statSync(place).mode & 0o777, statSync(secrets).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readFileSync(secrets, "utf8")).toContain("s3cret-value");
    expect(await editor.end()).toBe(0);
    for (const left of [conversations, "tools", "data", "packages"]) expect(filesBelow(join(own, left))).toEqual([]);
    expect([editor.stderr(), editor.text()]).toEqual(["", expect.not.stringContaining("MCP")]);
  });

  test("that is remote gets the headers of the editor, which are not filled in", async () => {
    const { url, seen } = await httpServer();
    const headers = [{ name: "X-Key", value: `pa\${HOME}ss` }];
    const { editor, call } = await editorWith([{ type: "http", name: "Over HTTP", url, headers }]);
    expect(await call("mcp__over_http__echo", { message: "hi" })).toEqual({ output: "Echo: hi" });
    expect(new Set(seen.map((one) => one.headers["x-key"]))).toEqual(new Set([`pa\${HOME}ss`]));
    expect(await editor.end()).toBe(0);
  });

  test("belongs to its session: not to another one, nor to the session when it is loaded without it", async () => {
    const { env, requests } = await startModel([]);
    const options = { args: ["--model", "openai-compatible/m"], env };
    const { editor, own, cwd, prompt, sessionId } = await editorWith([scripted({ tools: [echo] })], options);
    const other = await openSession(editor, { cwd, mcpServers: [] });
    await editor.ask("session/prompt", prompt("hello"));
    await editor.ask("session/prompt", other.prompt("hello"));
    await editor.ask("session/close", { sessionId });
    expect(filesBelow(join(own, conversations))).toEqual([]);
    for (const mcpServers of [[], [scripted({ tools: [echo] }, { name: "again" })]]) {
      const loaded = await openSession(editor, { cwd, mcpServers, sessionId });
      await editor.ask("session/prompt", loaded.prompt("hello"));
    }
    const told = requests.map(({ tools }) =>
      tools.map((tool) => tool.function.name).filter((name) => name.startsWith("mcp")),
    );
    expect(told).toEqual([["mcp__test__echo"], [], [], ["mcp__again__echo"]]);
  });

  test("that cannot be started is reported once, and the session works without it", async () => {
    const cwd = await tempDir({ "notes.txt": "alpha\n" });
    const servers = [
      scripted({ dies: "![](http://x/) out of s3cret-value" }, { name: "bad", env: { KEY: "s3cret-value" } }),
      { name: "gone", command: "/nowhere/server", args: [], env: [] },
      scripted({ tools: [] }, { name: "empty" }),
      scripted({ tools: [echo] }),
    ];
    const { editor, prompt, call } = await editorWith(servers, { cwd });
    expect((await editor.ask("session/prompt", prompt("read notes.txt"))).result?.stopReason).toBe("end_turn");
    expect(await call("mcp__test__echo")).toEqual({ output: "Echo: undefined" });
    const lines = editor.text().split("\n\n");
    expect(lines.filter((line) => line.includes("MCP")).sort()).toEqual([
      "`The MCP server bad exited with code 4 during startup. It printed: ![](http://x/) out of [key removed]`",
      "`The MCP server empty has no tools.`",
      "`The MCP server gone cannot be started: /nowhere/server not found.`",
    ]);
  });

  test("takes the place of an added one of the same name, for its session", async () => {
    const { home, add, names } = await mcpHome();
    await add({ tools: [echo, { ...echo, name: "added" }] });
    const { env, requests } = await startModel([]);
    const options = { home, args: ["--model", "openai-compatible/m"], env };
    const { editor, prompt, cwd } = await editorWith([scripted({ tools: [echo] })], options);
    await editor.ask("session/prompt", prompt("hello"));
    const plain = await openSession(editor, { cwd, mcpServers: [] });
    await editor.ask("session/prompt", plain.prompt("hello"));
    const told = requests.map(({ tools }) => tools.filter((tool) => tool.function.name.startsWith("mcp")).length);
    expect([told, names("tools").length]).toEqual([[1, 2], 2]);
  });
});

test.skipIf(!hasBubblewrap)("with --sandbox a server is asked and called in the sandbox", async () => {
  const cwd = await tempDir({ "server.mjs": readFileSync(scriptedServer, "utf8") });
  const startFile = join(await tempDir(), "starts");
  const named = (name: string, script: object) => {
    return { ...scripted({}, { name }), args: [join(cwd, "server.mjs"), JSON.stringify(script)] };
  };
  // A clone below /tmp is hidden there.
  const config = JSON.stringify({ sandbox: { readable: [join(dirname(bin), "..", "libexec")] } });
  const home = await tempDir({ ".ikigai/config.json": { content: config, mode: 0o600 } });
  const servers = [named("test", {}), named("writes", { startFile })];
  const { editor, call } = await editorWith(servers, { cwd, home, args: ["--model", "offline", "--sandbox"] });
  const { output } = (await call("mcp__test__env")) ?? {};
  expect(JSON.parse(String(output)).HOME).toBeDefined();
  expect((await call("mcp__test__cwd"))?.output).toMatch(/\/cache\/conversations\/[0-9a-f-]{36}\/data\/mcp-test$/);
  expect([startsIn(startFile), editor.text()]).toEqual([0, expect.stringContaining("The MCP server writes exited")]);
});

describe("the list of a server", () => {
  /** An editor's session with the scripted server, its list in a file, and how often it was started. */
  async function stage() {
    const root = await tempDir();
    const [startFile, listFile] = [join(root, "starts"), join(root, "list.json")];
    const [program, diesIf] = [join(root, "server.mjs"), join(root, "dies")];
    copyFileSync(scriptedServer, program);
    const setList = (tools: readonly object[]) => writeFileSync(listFile, JSON.stringify(tools));
    setList([echo]);
    const [home, cwd] = [await tempDir(), await tempDir()];
    const { env, requests } = await startModel([]);
    /** Opens a session, sends a message; returns the tools that the model sees, and how often the server was started. */
    const converse = async (value = "1", run?: (call: (tool: string) => Promise<unknown>) => Promise<unknown>) => {
      const server = scripted({ startFile, listFile, diesIf }, { env: { VALUE: value } });
      const offline = run ? ["--model", "offline"] : ["--model", "openai-compatible/m"];
      const before = startsIn(startFile);
      const options = { home, cwd, args: offline, env };
      const { editor, prompt, call } = await editorWith(
        [{ ...server, args: [program, ...server.args.slice(1)] }],
        options,
      );
      if (run) await run(call);
      else await editor.ask("session/prompt", prompt("hello"));
      await editor.end();
      const tools = run ? [] : (requests.at(-1)?.tools ?? []);
      const names = tools.map((tool) => tool.function.name).filter((name) => name.startsWith("mcp"));
      return { starts: startsIn(startFile) - before, names, thoughts: editor.updates("agent_thought_chunk") };
    };
    return { converse, setList, program, diesIf };
  }

  test("is kept: the next session starts no server to list its tools, and the model sees what was listed", async () => {
    const { converse, setList } = await stage();
    expect(await converse()).toMatchObject({ starts: 1, names: ["mcp__test__echo"] });
    setList([echo, { ...echo, name: "more" }]);
    expect(await converse()).toMatchObject({ starts: 0, names: ["mcp__test__echo"] });
  });

  test("is asked for again if the entry or a file of its command is another", async () => {
    const { converse, program } = await stage();
    expect((await converse("1")).starts).toBe(1);
    expect((await converse("2")).starts).toBe(1);
    expect((await converse("1")).starts).toBe(0);
    writeFileSync(program, `${readFileSync(program, "utf8")}\n`);
    expect((await converse("1")).starts).toBe(1);
  });

  test("is asked for again after a call has found another one, and a message says so", async () => {
    const { converse, setList } = await stage();
    await converse();
    setList([{ ...echo, description: "Sends it" }]);
    const { starts, thoughts } = await converse("1", async (call) => {
      await call("mcp__test__echo");
      await call("mcp__test__echo");
    });
    expect(starts).toBe(1);
    const texts = thoughts.map(({ content }) => content.text).join("");
    expect(texts).toContain("test: its tools changed (~1): the next conversation gets the new ones");
    expect((await converse()).starts).toBe(1);
    expect((await converse()).starts).toBe(0);
  });

  test("is asked for again after a call could not start the server", async () => {
    const { converse, diesIf } = await stage();
    await converse();
    writeFileSync(diesIf, "");
    await converse("1", (call) => call("mcp__test__echo"));
    rmSync(diesIf);
    expect((await converse()).starts).toBe(1);
  });
});

test("a server that requires a login says what to do", async () => {
  const { url } = await httpServer({
    intercept(_, response) {
      response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      return true;
    },
  });
  const { editor, prompt } = await editorWith([{ type: "http", name: "web", url, headers: [] }]);
  await editor.ask("session/prompt", prompt("help"));
  expect(editor.text()).toContain("`The MCP server web requires a login. To fix it: ikigai mcp add web URL`");
});

test("ikigai says that it takes remote servers", async () => {
  const editor = await startEditor();
  const { result } = await editor.ask("initialize", { protocolVersion: 1 });
  expect(result).toMatchObject({ agentCapabilities: { mcpCapabilities: { http: true } } });
});
