import { asking, until } from "./ikigai.ts";
import { type Peer, type PeerMessage, startPeer } from "./json-rpc-peer.ts";

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
export interface AcpMessage extends PeerMessage {
  readonly params?: AcpParams;
  readonly result?: AcpResult;
}

/** A question about a call. */
export interface AcpQuestion extends AcpMessage {
  readonly params: AcpParams;
}

/** An editor: what it sent and got. */
export interface Editor extends Peer<AcpMessage> {
  /** The next question about a call, after those already taken. */
  question(): Promise<AcpQuestion>;
  /** The updates of one kind, in order. */
  updates(kind?: string): AcpUpdate[];
  /** The answer's text so far. */
  text(): string;
}

export interface EditorOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
  /** Whether the mode is the one that a person gets who has named none. Default: `ask`. */
  readonly startsInOwnMode?: boolean;
}

/** Starts `ikigai acp` as an editor does. */
export async function startEditor({ args = [], env = {}, home, startsInOwnMode }: EditorOptions = {}): Promise<Editor> {
  const started = startsInOwnMode ? args : asking(args, env);
  const peer = await startPeer<AcpMessage>({ args: ["acp", ...started], env, cwd: "/", home });
  const { messages } = peer;
  let asked = 0;
  const questions = () => messages.filter(isQuestion);
  const editor: Editor = {
    ...peer,
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
