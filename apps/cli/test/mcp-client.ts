import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { tempDir } from "@ikigai/testing";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { bin, cleanEnv, until } from "./ikigai.ts";

export interface ServeOptions {
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly home?: string;
}

/** A client of the SDK, connected to `ikigai mcp serve`. */
export async function connect(
  { args = [], cwd, home }: ServeOptions = {},
  era: "legacy" | "auto" = "auto",
): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, "mcp", "serve", ...args],
    env: await cleanEnv(home),
    cwd: cwd ?? (await tempDir()),
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1.2.3" }, { versionNegotiation: { mode: era } });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

/** A JSON-RPC message of ikigai. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of many shapes
export type Message = any;

/** A client that may send anything. */
export interface RawClient {
  readonly child: ChildProcess;
  readonly messages: Message[];
  /** The lines on stdout that are no JSON-RPC message. */
  readonly strange: string[];
  readonly stderr: () => string;
  write(message: object | string): void;
  /** Sends a request; returns its answer. */
  ask(method: string, params: object): Promise<Message>;
  /** Sends a request and waits for nothing; returns its ID. */
  post(method: string, params: object): number;
  answer(id: unknown): Promise<Message>;
  /** Closes stdin; returns the exit code. */
  end(): Promise<number | null>;
}

export async function rawClient({ args = [], cwd, home }: ServeOptions = {}): Promise<RawClient> {
  const child = spawn(process.execPath, [bin, "mcp", "serve", ...args], {
    env: await cleanEnv(home),
    cwd: cwd ?? (await tempDir()),
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const messages: Message[] = [];
  const strange: string[] = [];
  let errors = "";
  createInterface({ input: child.stdout }).on("line", (line) => {
    try {
      const message = JSON.parse(line);
      if (message.jsonrpc === "2.0") messages.push(message);
      else strange.push(line);
    } catch {
      strange.push(line);
    }
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  child.stdin.on("error", () => {});
  const exited = new Promise<number | null>((settle) => child.once("close", settle));
  let lastId = 0;
  const find = (id: unknown) => messages.find((message) => message.id === id && message.method === undefined);
  const client: RawClient = {
    child,
    messages,
    strange,
    stderr: () => errors,
    write(message) {
      child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
    },
    post(method, params) {
      const id = ++lastId + 100;
      client.write({ jsonrpc: "2.0", id, method, params });
      return id;
    },
    async answer(id) {
      await until(() => find(id) !== undefined || child.exitCode !== null, `the answer to ${id}`);
      return find(id) ?? {};
    },
    ask: (method, params) => client.answer(client.post(method, params)),
    end() {
      child.stdin.end();
      return exited;
    },
  };
  return client;
}

/** The parameters of a `tools/call`. */
export function calling(name: string, args: Record<string, unknown> = {}) {
  return { name, arguments: args };
}
