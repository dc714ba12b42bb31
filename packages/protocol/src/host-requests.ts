// What a tool may ask its host during a call, on descriptor 3: requests, replies and their limits.

import type { ToolScope } from "./environment.ts";
import type { JsonObject } from "./json.ts";
import type { Visual } from "./visual.ts";

/** A method that a tool may call in its host, over the descriptor for progress. */
export type HostMethod = "ask" | "permission" | "show" | "job";

/** All methods of this version. A schema may name others: a host that does not have them ignores them. */
export const hostMethods: readonly HostMethod[] = ["ask", "permission", "show", "job"];

/** The longest line of a request or a reply, in bytes, without its line break. */
export const maxHostLineBytes = 65_536;

/** How many requests a call may make. */
export const maxHostRequests = 20;

/** How long a person has for an answer, in milliseconds. Meanwhile the time of the call stands still. */
export const maxQuestionMs = 600_000;

/** The longest question, in bytes. */
export const maxQuestionBytes = 2_048;

/** The longest option of a question, in bytes. */
export const maxOptionBytes = 256;

/** How many options a question may have. */
export const minOptions = 2;
export const maxOptions = 6;

/** The longest answer, in UTF-16 units; a host cuts a longer one. Escaped, each takes at most 6 bytes of the line. */
export const maxAnswerLength = 8_192;

/** How many names of nested agents a request may have. */
export const maxNestedAgents = 8;

/** The longest name of an agent in a request of an agent, in bytes. */
export const maxAgentNameBytes = 256;

/** The longest path in a request of an agent, in bytes. */
export const maxRequestPathBytes = 4_096;

/** A request: one line on the descriptor for progress. */
export interface HostRequest {
  /** Identifies the reply; an integer. */
  id: number;
  /** What the host is to do. */
  method: HostMethod;
  /** What it needs for that. */
  params: AskParams | PermissionParams | ShowParams | JobParams;
}

/** The reply to a request: one line on the same descriptor. */
export type HostReply =
  | { id: number; result: AskResult | PermissionResult | ShowResult | JobResult }
  /** `id` is null if that of the request could not be read. */
  | { id: number | null; error: { code: HostRequestErrorCode; message: string } };

/** Why a request has no result. */
export type HostRequestErrorCode =
  /** There is no user to ask. */
  | "NO_USER"
  /** The person did not answer in time. The host asks no more questions in this call. */
  | "NO_ANSWER"
  /** The line is too long, or it is not a request with an id, a method and valid parameters. */
  | "INVALID_REQUEST"
  /** The tool's schema does not name the method, or the host does not have it. */
  | "UNKNOWN_METHOD"
  /** The previous request is still open. */
  | "REQUEST_OPEN"
  /** The call has made `maxHostRequests` requests. */
  | "TOO_MANY_REQUESTS"
  /** The tool has ended the request with `cancel`. */
  | "CANCELLED";

/** A line that ends the open request with this `id`, which is then answered with `CANCELLED`. It has no reply of its own. */
export interface CancelRequest {
  /** That of the open request. */
  id: number;
  /** Always this. */
  method: "cancel";
}

/** The tool of an agent for which a request is made. Only a tool that starts agents says so; it passes on what the agent says. */
export interface AgentOrigin {
  /** The tool's name. */
  tool: string;
  /** Where the agent has it from. */
  scope: ToolScope;
  /** Its file. */
  path: string;
  /** The directory in which the agent works. */
  directory: string;
  /** The names of the agents below the one that the call has started, from the outside to the inside. */
  agents?: readonly string[];
}

/** What kind of answer a question wants: any text, one of its options, or yes or no. */
export type QuestionKind = "text" | "choice" | "confirm";

/** The parameters of `ask`: a question to the user. */
export interface AskParams {
  /** At most `maxQuestionBytes`. */
  question: string;
  /** Two to six answers to choose from, for `choice` only. */
  options?: readonly string[];
  /** Default: `choice` with options, else `text`. */
  kind?: QuestionKind;
  /** The tool that asks, if it is one of an agent. */
  from?: AgentOrigin;
}

/**
 * The result of `ask`. `answer` is text; for `confirm`, `yes` or `no`; for `choice`, one of the options, unless the user has written
 * something else.
 */
export type AskResult = { answer: string } | { refused: true };

/** The parameters of `permission`: a call that an agent, which the tool has started, wants to make. */
export interface PermissionParams {
  /** The name of the called tool; a request with any other text is invalid. */
  tool: string;
  /** A JSON object, as text: what the model wrote. */
  arguments: string;
  /** The file of that tool, and where the agent works. */
  from?: AgentOrigin;
  /** Why the call needs a question, in a few words; at most `maxQuestionBytes`. */
  reason?: string;
  /** Whether the user must be asked even if the host's own rules allow the call. Default: false. */
  mustAsk?: boolean;
  /** The host that the call, which is already running, wants to reach: `HOST` or `HOST:PORT`. Then the request is about that. */
  reach?: string;
}

/** The result of `permission`. */
export interface PermissionResult {
  /** Whether the call may run. */
  verdict: "allow" | "deny";
  /** The user's words to the model, if the call is denied. */
  reason?: string;
}

/** The parameters of `show`: something to draw at once, during the call. */
export interface ShowParams {
  /** What to draw. */
  readonly visual: Visual;
}

/** The result of `show`. `reason` is the end of a sentence. */
export type ShowResult = { shown: true } | { shown: false; reason: string };

/** What to do with the jobs of a conversation. */
export type JobAction = "list" | "output" | "wait" | "stop" | "input";

/** All of them. */
export const jobActions: readonly JobAction[] = ["list", "output", "wait", "stop", "input"];

/** The parameters of `job`. */
export interface JobParams {
  /** What to do. */
  action: JobAction;
  /** The job's number; for all actions but `list`. */
  job?: number;
  /** How long `wait` waits, in milliseconds; at most `maxQuestionMs`. */
  timeoutMs?: number;
  /** A regular expression of JavaScript: `wait` ends when new output matches it. */
  until?: string;
  /** The line that the job gets, without its line break; for `input`. */
  line?: string;
}

/** The result of `job`: what the answer to the model has, or why it cannot be done. */
export type JobResult = JsonObject;
