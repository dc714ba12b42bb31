import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { type Editor, type EditorOptions, select, startEditor } from "../acp-editor.ts";
import { scriptedServer } from "./mcp-home.ts";

interface ScriptedOptions {
  readonly name?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The scripted server as an editor names it. */
export function scripted(script: object = {}, { name = "test", env = {} }: ScriptedOptions = {}) {
  const pairs = Object.entries(env).map(([key, value]) => ({ name: key, value }));
  return { name, command: process.execPath, args: [scriptedServer, JSON.stringify(script)], env: pairs };
}

export interface ServersOptions extends EditorOptions {
  readonly cwd?: string;
}

/** An editor that has opened a session with MCP servers. */
export async function editorWith(servers: readonly object[], { cwd, ...options }: ServersOptions = {}) {
  const home = options.home ?? (await tempDir());
  const editor = await startEditor({ args: ["--model", "offline"], ...options, home });
  await editor.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const project = cwd ?? (await tempDir());
  const session = await openSession(editor, { cwd: project, mcpServers: servers });
  return { home, own: join(home, ".ikigai"), editor, cwd: project, ...session };
}

interface SessionRequest {
  readonly cwd: string;
  readonly mcpServers: readonly object[];
  /** Loads this one. */
  readonly sessionId?: string;
}

/** Opens a session. */
export async function openSession(editor: Editor, request: SessionRequest) {
  const method = request.sessionId === undefined ? "session/new" : "session/load";
  const { result, error } = await editor.ask(method, request);
  if (!result) throw new Error(error?.message);
  const sessionId = request.sessionId ?? result.sessionId;
  const prompt = (text: string) => ({ sessionId, prompt: [{ type: "text", text }] });
  return {
    sessionId,
    prompt,
    /** Lets the offline interpreter make a call that the user allows; returns the result. */
    async call(tool: string, args: object = {}) {
      const id = editor.post("session/prompt", prompt(`${tool} ${JSON.stringify(args)}`));
      editor.write(select(await editor.question(), "allow_once"));
      await editor.answer(id);
      return editor.updates("tool_call_update").at(-1)?.rawOutput.result;
    },
  };
}

/** The files below a directory, relative to it; none if it does not exist. */
export function filesBelow(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
}

/** How often the server that writes this file has been started. */
export function startsIn(file: string): number {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}

/** The command lines of all processes. */
export function commandLines(): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")] : [];
    } catch {
      return [];
    }
  });
}
