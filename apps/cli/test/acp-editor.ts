import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { bin, cleanEnv, until } from "./ikigai.ts";

/** A content block, or content that has one. */
interface AcpContent {
  readonly type: string;
  readonly text?: string;
  readonly content?: AcpContent;
}

/** A call to a tool, in a question or an update. */
interface AcpCall {
  readonly title: string;
  readonly status: string;
  readonly content: readonly AcpContent[];
  readonly rawInput: Readonly<Record<string, unknown>>;
  readonly rawOutput: { readonly result?: { readonly output?: string } };
}

interface AcpUpdate extends Omit<AcpCall, "content"> {
  readonly sessionUpdate: string;
  /** A list for a call, one block for a message. */
  readonly content: AcpContent & readonly AcpContent[];
}

/** The fields that tests read; which of them there are depends on the method. */
interface AcpParams {
  readonly update: AcpUpdate;
  readonly toolCall: AcpCall;
  readonly options: readonly { readonly kind: string }[];
}

interface AcpResult {
  readonly sessionId: string;
  readonly stopReason: string;
  readonly sessions: readonly object[];
  readonly modes: {
    readonly currentModeId: string;
    readonly availableModes: readonly { readonly id: string; readonly description?: string }[];
  };
  readonly configOptions: readonly { readonly currentValue: string }[];
}

/** A JSON-RPC message from ikigai. */
export interface AcpMessage {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: AcpParams;
  readonly result?: AcpResult;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A question about a call. */
export interface AcpQuestion extends AcpMessage {
  readonly params: AcpParams;
}

/** An editor: what it sent and got. */
export interface Editor {
  readonly child: ChildProcess;
  readonly messages: AcpMessage[];
  readonly stderr: () => string;
  /** Sends a request; returns its answer. */
  ask(method: string, params: object): Promise<AcpMessage>;
  /** Sends a request and waits for nothing; returns its ID. */
  post(method: string, params: object): number;
  /** Sends anything. */
  write(message: object | string): void;
  answer(id: number): Promise<AcpMessage>;
  /** The next question about a call, after those already taken. */
  question(): Promise<AcpQuestion>;
  /** The updates of one kind, in order. */
  updates(kind?: string): AcpUpdate[];
  /** The answer's text so far. */
  text(): string;
  end(): Promise<number | null>;
}

export interface EditorOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
}

/** Starts `ikigai acp` as an editor does. */
export async function startEditor({ args = [], env = {}, home }: EditorOptions = {}): Promise<Editor> {
  const child = spawn(process.execPath, [bin, "acp", ...args], {
    env: { ...(await cleanEnv(home)), ...env },
    cwd: "/",
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const messages: AcpMessage[] = [];
  let errors = "";
  createInterface({ input: child.stdout }).on("line", (line) => messages.push(JSON.parse(line)));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  child.stdin.on("error", () => {});
  const exited = new Promise<number | null>((settle) => child.once("close", settle));
  let lastId = 0;
  let asked = 0;
  const questions = () => messages.filter(isQuestion);
  const find = (id: number) => messages.find((message) => message.id === id && message.method === undefined);
  const editor: Editor = {
    child,
    messages,
    stderr: () => errors,
    write(message) {
      child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
    },
    post(method, params) {
      const id = ++lastId + 100;
      editor.write({ jsonrpc: "2.0", id, method, params });
      return id;
    },
    async answer(id) {
      await until(() => find(id) !== undefined || child.exitCode !== null, `the answer to ${id}`);
      return find(id) ?? {};
    },
    ask: (method, params) => editor.answer(editor.post(method, params)),
    async question() {
      const index = asked++;
      await until(() => questions().length > index, "a question");
      const question = questions()[index];
      if (!question) throw new Error("no question");
      return question;
    },
    updates(kind) {
      const all = messages.flatMap(({ method, params }) =>
        method === "session/update" && params ? [params.update] : [],
      );
      return kind === undefined ? all : all.filter(({ sessionUpdate }) => sessionUpdate === kind);
    },
    text: () =>
      editor
        .updates("agent_message_chunk")
        .map(({ content }) => content.text)
        .join(""),
    end() {
      child.stdin.end();
      return exited;
    },
  };
  return editor;
}

function isQuestion(message: AcpMessage): message is AcpQuestion {
  return message.method === "session/request_permission";
}

/** An editor with one new session. */
export async function openEditor(cwd: string, options: EditorOptions = {}) {
  const editor = await startEditor(options);
  await editor.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { result, error } = await editor.ask("session/new", { cwd, mcpServers: [] });
  if (!result) throw new Error(error?.message);
  const { sessionId } = result;
  const prompt = (text: string) => ({ sessionId, prompt: [{ type: "text", text }] });
  return { editor, sessionId, opened: result, prompt };
}

/** Selects an option of a question. */
export function select(question: AcpMessage, optionId: string): object {
  return { jsonrpc: "2.0", id: question.id, result: { outcome: { outcome: "selected", optionId } } };
}
