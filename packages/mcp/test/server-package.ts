import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@ikigai/protocol";
import { tempDir } from "@ikigai/testing";
import { defineTools } from "../src/definitions/define-tools.ts";
import type { ListedTool } from "../src/definitions/listed-tool.ts";
import { wrapperText } from "../src/server/package-files.ts";
import type { ServerFile } from "../src/server/server-file.ts";

/** The built bridge. */
export const bridge = fileURLToPath(new URL("../dist/bridge.mjs", import.meta.url));

/** The server that does what its argument says. */
export const scriptedServer = fileURLToPath(new URL("fixtures/scripted-server.mjs", import.meta.url));

const object = (properties: JsonObject, required?: string[]): JsonObject => {
  return { type: "object", properties, ...(required && { required }) };
};

/** The tools of the scripted server. */
export const scriptedTools: readonly ListedTool[] = [
  "echo",
  "env",
  "cwd",
  "pid",
  "count",
  "big",
  "roots",
  "structured",
  "image",
  "error",
  "missing",
  "fails",
  "dies",
  "hangs",
  "slow",
  "reports",
  "changes",
].map((name) => ({ name, description: `Does ${name}`, inputSchema: parametersOf(name) }));

function parametersOf(name: string): JsonObject {
  if (name === "echo") return object({ message: { type: "string", description: "What to say" } }, ["message"]);
  if (name === "big") return object({ bytes: { type: "integer" } }, ["bytes"]);
  return name === "slow" ? object({ ms: { type: "integer" } }, ["ms"]) : object({});
}

/** A package of the scripted server, as the command would have written it. */
export async function serverPackage(
  script: JsonObject = {},
  { env = {}, server = {}, tools = scriptedTools }: PackageOptions = {},
) {
  const home = await tempDir();
  const dir = join(home, ".ikigai", "packages", "mcp-test", "0123456789ab");
  const dataDir = join(home, ".ikigai", "data", "mcp-test");
  mkdirSync(dir, { recursive: true });
  const entry = { command: process.execPath, args: [scriptedServer, JSON.stringify(script)], env };
  const { tools: defined } = defineTools(tools, {
    server: "test",
    variables: [],
    hasHeaders: false,
    filter: { include: [], exclude: [] },
    hasResources: script.resources === true,
  });
  const file = {
    name: "test",
    entry,
    era: "legacy",
    asksForRoots: script.asksForRoots === true,
    filter: { include: [], exclude: [] },
    ...server,
  };
  writeFileSync(join(dir, "server.json"), JSON.stringify(file));
  const added = defined.map(({ name, listed, isResource }) => ({ tool: name, isResource, definition: listed }));
  writeFileSync(join(dir, "tools.json"), JSON.stringify({ tools: added, leftOut: {} }));
  for (const { name, line } of defined) {
    const path = join(dir, `${name}-tool`);
    writeFileSync(
      path,
      wrapperText({ line, name, server: "test", version: "0" }, { node: process.execPath, bridge, packageDir: dir }),
    );
    chmodSync(path, 0o755);
  }
  return { dir, dataDir, home, toolPath: (name: string) => join(dir, `mcp__test__${name}-tool`) };
}

interface PackageOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly server?: Partial<ServerFile>;
  readonly tools?: readonly ListedTool[];
}

/** How a program ended. */
export interface End {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a tool with one process for the call. */
export async function callTool(path: string, input: unknown, env: NodeJS.ProcessEnv = {}): Promise<End> {
  const child = spawn(path, [], { env: { ...process.env, ...env } });
  const end = endOf(child);
  child.stdin.end(typeof input === "string" ? input : JSON.stringify(input));
  return end;
}

/** Waits for the end of a program. */
export function endOf(child: ChildProcess): Promise<End> {
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  return new Promise((settle) => child.once("close", (exitCode) => settle({ exitCode, stdout, stderr })));
}

/** A service, and its lines. */
export function startService(path: string, env: NodeJS.ProcessEnv = {}) {
  const child = spawn(path, [], { env: { ...process.env, ...env, IKIGAI_SERVE: "1" } });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const end = new Promise<number | null>((settle) => child.once("close", settle));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  let calls = 0;
  return {
    child,
    end,
    stderr: () => stderr,
    /** The next line, as JSON; `undefined` at the end. */
    async next(): Promise<JsonObject | undefined> {
      const { value, done } = await lines.next();
      return done ? undefined : JSON.parse(value);
    },
    /** Sends a call; returns its id. */
    call(tool: string, args: unknown, callEnv: Record<string, string> = {}): string {
      const call = `c${++calls}`;
      child.stdin.write(`${JSON.stringify({ call, tool: `mcp__test__${tool}`, env: callEnv, arguments: args })}\n`);
      return call;
    },
    cancel: (cancel: string) => child.stdin.write(`${JSON.stringify({ cancel })}\n`),
    /** Waits past the progress of the start. */
    async ready(): Promise<void> {
      for (;;) {
        const line = await this.next();
        if (line?.ready === true) return;
        if (line?.progress === undefined) throw new Error(`Not ready: ${JSON.stringify(line)} ${stderr}`);
      }
    },
    [Symbol.dispose]() {
      child.kill("SIGKILL");
    },
  };
}
