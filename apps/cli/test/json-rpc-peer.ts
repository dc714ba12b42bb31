import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { bin, cleanEnv, until } from "./ikigai.ts";

/** A JSON-RPC message of ikigai. */
export interface PeerMessage {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A program that speaks JSON-RPC with ikigai, and what it got. */
export interface Peer<Message extends PeerMessage> {
  readonly child: ChildProcess;
  readonly messages: Message[];
  /** The lines on stdout that are not JSON-RPC messages. */
  readonly strange: string[];
  readonly stderr: () => string;
  /** Sends anything. */
  write(message: object | string): void;
  /** Sends a request; returns its answer. */
  ask(method: string, params: object): Promise<Message>;
  /** Sends a request and waits for nothing; returns its ID. */
  post(method: string, params: object): number;
  answer(id: unknown): Promise<Message>;
  /** Closes stdin; returns the exit code. */
  end(): Promise<number | null>;
}

export interface PeerOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home?: string | undefined;
}

/** Starts ikigai with a program at its stdin and stdout. */
export async function startPeer<Message extends PeerMessage>({
  args,
  env,
  cwd,
  home,
}: PeerOptions): Promise<Peer<Message>> {
  const child = spawn(process.execPath, [bin, ...args], {
    env: { ...(await cleanEnv(home)), ...env },
    cwd,
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
  const peer: Peer<Message> = {
    child,
    messages,
    strange,
    stderr: () => errors,
    write(message) {
      child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
    },
    post(method, params) {
      const id = ++lastId + 100;
      peer.write({ jsonrpc: "2.0", id, method, params });
      return id;
    },
    async answer(id) {
      await until(() => find(id) !== undefined || child.exitCode !== null, `the answer to ${id}`);
      const answer = find(id);
      if (!answer) throw new Error(`ikigai ended without an answer to ${id}: ${errors}`);
      return answer;
    },
    ask: (method, params) => peer.answer(peer.post(method, params)),
    end() {
      child.stdin.end();
      return exited;
    },
  };
  return peer;
}
