import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { ikigai, type RunOptions } from "./ikigai.ts";
import { type SentRequest, type Step, startModel } from "./model-server.ts";

/** The steps of each conversation, by a word in its first message. A step may depend on the request. */
export type Scripts = Readonly<Record<string, readonly (Step | ((request: SentRequest) => Step))[]>>;

/** A step that starts an agent. */
export function agentStep(task: string, more: object = {}): Step {
  return { calls: [{ name: "agent", arguments: { task, ...more } }] };
}

/** A step that runs a command. */
export function bashStep(command: string): Step {
  return { calls: [{ name: "bash", arguments: { command } }] };
}

/** A user with a home and a project, and a model that plays a script for each conversation. */
export async function agentsWorld(scripts: Scripts, files: Parameters<typeof tempDir>[0] = {}) {
  const root = await tempDir({ "home/": "", "project/": "", ...files });
  const { env: model, requests } = await startModel((request) => nextStep(scripts, request));
  const [cwd, home] = [join(root, "project"), join(root, "home/.ikigai")];
  const env = { ...model, HOME: join(root, "home") };
  return {
    ...{ root, cwd, home, env, requests },
    /** Runs a task; returns its results by the tool's name, too. */
    async run(task: string, args: readonly string[] = [], options: RunOptions = {}) {
      const words = ["-p", task, "--model", "openai-compatible/m", "--output-format", "json", ...args];
      const end = await ikigai(words, { cwd, ...options, env: { ...env, ...options.env } });
      return { ...end, report: reportIn(end.stdout) };
    },
    /** The requests of the conversation whose first message has this word. */
    requestsOf: (word: string) => requests.filter((request) => firstMessage(request).includes(word)),
    /** The first line of each session's log. */
    sessions: () => sessionHeaders(home),
  };
}

/** What the tools of these tests answer; each has some of the fields. */
interface SeenResult {
  readonly output: string;
  readonly session_id: string;
  readonly worktree: string;
  readonly branch: string;
  readonly hint?: string;
  readonly agents: readonly Readonly<Record<string, unknown>>[];
  readonly [name: string]: unknown;
}

/** An envelope as a test reads it. */
export interface SeenEnvelope {
  readonly tool_success: boolean;
  /** Not there if the call failed: then a test that reads it fails, too. */
  readonly result: SeenResult;
  readonly error?: string;
  readonly error_code?: string;
}

export interface SeenReport {
  readonly result: string;
  readonly session_id: string;
  readonly tool_calls: readonly { readonly name: string; readonly envelope: SeenEnvelope }[];
}

/** What a call of a run answered. */
export function resultOf({ tool_calls }: SeenReport, at = 0): SeenResult {
  const call = tool_calls[at];
  if (!call) throw new Error(`The model made only ${tool_calls.length} calls.`);
  return call.envelope.result;
}

function reportIn(stdout: string): SeenReport {
  try {
    return JSON.parse(stdout);
  } catch {
    return { result: stdout, session_id: "", tool_calls: [] };
  }
}

/** The step that answers a request: the next one of its conversation. */
export function nextStep(scripts: Scripts, request: SentRequest): Step | undefined {
  const first = firstMessage(request);
  const name = Object.keys(scripts).find((word) => first.includes(word));
  // ikigai itself writes such a line before a message that follows results.
  const isOwn = (content: unknown) => content === "I have read the results.";
  const answered = request.messages.filter(({ role, content }) => role === "assistant" && !isOwn(content)).length;
  const step = name === undefined ? undefined : scripts[name]?.[answered];
  return typeof step === "function" ? step(request) : step;
}

function firstMessage({ messages }: SentRequest): string {
  const content = messages.find(({ role }) => role === "user")?.content;
  return typeof content === "string" ? content : JSON.stringify(content);
}

function sessionHeaders(home: string) {
  const directory = join(home, "sessions");
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(directory, name), "utf8").split("\n")[0] ?? "{}"));
}
