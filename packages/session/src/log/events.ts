// The lines of a session's log: what can be in one, how a line is parsed, and which lines a rewind has undone.
import { failedOutcome } from "@ikigai/core";
import {
  type FinishReason,
  noUsage,
  type ProviderMetadata,
  type ShownVisual,
  type ThinkingLevel,
  type Usage,
} from "@ikigai/models";
import { type AskResult, isJsonObject, type QuestionKind, type ToolScope } from "@ikigai/protocol";

/** What was started for a call: enough to repeat it. */
export interface ToolStart {
  readonly path: string;
  readonly scope?: ToolScope;
  readonly cwd?: string;
  /** The executable's SHA-256; absent if it could not be read. */
  readonly sha256?: string;
  /** The sandbox it ran in; absent without one. */
  readonly sandbox?: { readonly network: boolean };
  /** Whether it ran behind a launcher: then `path` is the launcher's command line. */
  readonly launched?: boolean;
  /** The protocol's variables that the other fields do not imply. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the tool got, if a hook changed the arguments that the model wrote. */
  readonly arguments?: string;
}

/** An image or a document as named in the log. */
export interface KeptImage {
  readonly mediaType: string;
  readonly path: string;
}

/** What a call exchanged with a host: its name, with a port if it is not that of http or https, and the bytes to it and from it. */
export interface HostUse {
  readonly host: string;
  readonly sent: number;
  readonly received: number;
  /** Why it was refused, if it was. */
  readonly refused?: string | undefined;
}

/** The call that started an agent. */
export interface SessionParent {
  readonly session: string;
  readonly call: string;
}

/** An event in a session's log, one JSON object per line, in the order they happened. */
export type SessionEvent =
  /** Always the first line. */
  | {
      readonly type: "session";
      readonly version: 1;
      readonly id: string;
      readonly cwd: string;
      /** ikigai itself asked, not the user: lists leave the session out. */
      readonly isOwn?: true;
      /** A task that a program started, with `-p`: `lastConversation` skips it. */
      readonly isPrint?: true;
      /** The session whose recorded results answered the calls, none of which ran: lists leave this one out. */
      readonly replayOf?: string;
      /** The session and the call that started this one's agent: lists leave it out. */
      readonly parent?: SessionParent;
    }
  | {
      readonly type: "user";
      readonly text: string;
      readonly images?: readonly KeptImage[];
      /** What hooks added for the model. */
      readonly context?: string;
      /** The parts of the system prompt that have changed. */
      readonly changed?: Readonly<Record<string, string>>;
      /** Whether it reports a call by the user. */
      readonly typed?: true;
      /** Whether ikigai wrote it, so that it is not one of the user's messages: a goal that is not reached, the news of a job. */
      readonly isOwn?: true;
    }
  /** The user has named the session; the last name counts. */
  | { readonly type: "name"; readonly name: string }
  /** A user talks on in what a program started. */
  | { readonly type: "taken_up" }
  /** The system prompt of the conversation, in parts, and the names of its tools, before the first message and the first one after a summary. */
  | { readonly type: "prompt"; readonly parts: Readonly<Record<string, string>>; readonly tools?: readonly string[] }
  /** A call by the user; their next message reports its result. */
  | { readonly type: "typed_call"; readonly id: string; readonly name: string; readonly arguments: string }
  /** The model does not accept images: those sent so far are no longer sent. */
  | { readonly type: "drop_images" }
  /** The server does not accept the reasoning so far: it is no longer sent. */
  | { readonly type: "drop_reasoning" }
  /** The parts of a step, written when the step has ended and before they take effect. */
  | { readonly type: "text"; readonly text: string; readonly metadata?: ProviderMetadata }
  | { readonly type: "reasoning"; readonly text: string; readonly metadata?: ProviderMetadata }
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      readonly metadata?: ProviderMetadata;
    }
  | {
      readonly type: "step_end";
      readonly model: string;
      /** How much the model was to reason; absent for the provider's default. */
      readonly thinking?: ThinkingLevel;
      readonly finish: FinishReason | "interrupted" | "failed";
      readonly usage: Usage;
    }
  /** The user has chosen a model or thinking level for the following turns. */
  | { readonly type: "use"; readonly model: string; readonly thinking?: ThinkingLevel }
  /** How many events of which unknown kinds were skipped in a response. */
  | { readonly type: "skipped"; readonly kinds: Readonly<Record<string, number>> }
  /** The executable is about to start. Sessions before 0.2 have only the path. */
  | ({ readonly type: "tool_start"; readonly id: string } & ToolStart)
  /** A question of a tool, during the call `id`, after the user has answered or refused it. */
  | ({
      readonly type: "question";
      readonly id: string;
      readonly question: string;
      readonly kind: QuestionKind;
      readonly options: readonly string[];
    } & AskResult)
  /** What went through the door of the sandbox's network during the call `id`. */
  | { readonly type: "network"; readonly id: string; readonly hosts: readonly HostUse[] }
  /** A tool has shown something during the call `id`. */
  | { readonly type: "shown"; readonly id: string; readonly visuals: readonly ShownVisual[] }
  /** `json` is the envelope's exact text; `overflowFile` has the whole result if it was cut. */
  | {
      readonly type: "tool_result";
      readonly id: string;
      readonly name: string;
      readonly json: string;
      readonly durationMs: number;
      readonly overflowFile?: string;
      readonly images?: readonly KeptImage[];
      /** What was drawn for the user besides what the tool showed during the call: images without their content. */
      readonly visuals?: readonly ShownVisual[];
    }
  /** A call of a tool that loads others named these: their schemas are part of the requests from now on. */
  | { readonly type: "introduced"; readonly names: readonly string[] }
  /** These tools came later: requests have them last. */
  | { readonly type: "tools"; readonly names: readonly string[] }
  /** Old results were shortened to make room; they are in files of that directory, if there is one. */
  | { readonly type: "compact"; readonly before: number; readonly directory?: string }
  /** The usage of a request that is not a step of the conversation: one for a summary. */
  | { readonly type: "spent"; readonly model: string; readonly usage: Usage }
  /** The messages from one, by default the first, to another were replaced with a text. */
  | { readonly type: "summary"; readonly from?: number; readonly before: number; readonly text: string }
  /** Before a call changes a file: where its copy is; `null` if the file does not exist yet. */
  | {
      readonly type: "checkpoint";
      readonly id: string;
      /** Symlinks resolved. */
      readonly path: string;
      readonly kept: string | null;
      /** Identifies its directory, even if another directory takes that name later. */
      readonly parent?: string;
      readonly mode?: number;
      readonly uid?: number;
      readonly gid?: number;
    }
  /** The file's state after a call; `null` if it does not exist. */
  | { readonly type: "changed"; readonly id: string; readonly path: string; readonly sha256: string | null }
  /** A hook was run. `id`: the call it was run for. */
  | {
      readonly type: "hook";
      readonly event: string;
      readonly path: string;
      readonly scope: ToolScope;
      readonly durationMs: number;
      readonly id?: string;
      /** Why its answer does not count. */
      readonly problem?: string;
      readonly decision?: string;
      readonly reason?: string;
      /** The arguments that it gave the call. */
      readonly arguments?: string;
    }
  /** The conversation continues from before that line, which is a user message. */
  | { readonly type: "rewind"; readonly to: number }
  /** How many lines are missing here because they could not be written and were too many to keep pending. */
  | { readonly type: "lost"; readonly lines: number }
  | { readonly type: "turn_end"; readonly reason: TurnEndReason; readonly error?: string };

/** Why a turn ended. */
export type TurnEndReason =
  /** The model made no more calls. */
  | "done"
  /** The user stopped it. */
  | "interrupted"
  | "failed"
  /** The turn reached its maximum number of steps. */
  | "max_steps"
  /** The same call kept failing without progress. */
  | "loop";

/** A line of the log, ordered by `seq`. `time` is for people, because clocks can go back. */
export type SessionLine = SessionEvent & { readonly seq: number; readonly time: string };

/** The result of a call that was running when the session ended. */
export const { json: cancelledJson } = failedOutcome(
  "TOOL_CANCELLED",
  "The session ended before this call had a result. It is unknown whether it took effect.",
);

type Kind = "string" | "number" | "object" | "list" | "names" | "texts";

/** Required fields by event type. Optional fields end in `?`. */
const fields: Readonly<Record<SessionEvent["type"], Readonly<Record<string, Kind>>>> = {
  session: { id: "string", cwd: "string", "replayOf?": "string", "parent?": "object" },
  user: { text: "string", "images?": "list", "context?": "string", "changed?": "texts" },
  name: { name: "string" },
  taken_up: {},
  prompt: { parts: "texts", "tools?": "names" },
  typed_call: { id: "string", name: "string", arguments: "string" },
  drop_images: {},
  drop_reasoning: {},
  text: { text: "string", "metadata?": "object" },
  reasoning: { text: "string", "metadata?": "object" },
  tool_call: { id: "string", name: "string", arguments: "string", "metadata?": "object" },
  skipped: { kinds: "object" },
  step_end: { model: "string", "thinking?": "string", finish: "string", usage: "object" },
  use: { model: "string", "thinking?": "string" },
  tool_start: { id: "string", path: "string", "arguments?": "string" },
  hook: { event: "string", path: "string" },
  question: { id: "string", question: "string", "answer?": "string" },
  tool_result: {
    id: "string",
    name: "string",
    json: "string",
    durationMs: "number",
    "overflowFile?": "string",
    "images?": "list",
    "visuals?": "list",
  },
  shown: { id: "string", visuals: "list" },
  network: { id: "string", hosts: "list" },
  introduced: { names: "names" },
  tools: { names: "names" },
  compact: { before: "number", "directory?": "string" },
  spent: { model: "string", usage: "object" },
  summary: { "from?": "number", before: "number", text: "string" },
  checkpoint: {
    id: "string",
    path: "string",
    "parent?": "string",
    "mode?": "number",
    "uid?": "number",
    "gid?": "number",
  },
  changed: { id: "string", path: "string" },
  rewind: { to: "number" },
  lost: { lines: "number" },
  turn_end: { reason: "string", "error?": "string" },
};

/** Parses a line of a session log; `undefined` if it is damaged. Accepts unknown types, from later versions, as they are. */
export function parseLine(line: string): SessionLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isKind(value, "object") || typeof value.type !== "string" || !Number.isSafeInteger(value.seq)) return undefined;
  if (!Object.hasOwn(fields, value.type)) return value as unknown as SessionLine;
  for (const [key, kind] of Object.entries(fields[value.type as SessionEvent["type"]])) {
    const name = key.replace("?", "");
    if (!(isKind(value[name], kind) || (name !== key && value[name] === undefined))) return undefined;
  }
  if (value.type === "tool_result" && !isEnvelope(String(value.json))) return undefined;
  return ("usage" in fields[value.type as SessionEvent["type"]]
    ? { ...value, usage: usageOf(value.usage) }
    : value) as unknown as SessionLine;
}

function isKind(value: unknown, kind: "object"): value is Record<string, unknown>;
function isKind(value: unknown, kind: Kind): boolean;
function isKind(value: unknown, kind: Kind): boolean {
  if (kind === "names") return Array.isArray(value) && value.every((item) => isKind(item, "string"));
  if (kind === "texts") return isKind(value, "object") && Object.values(value).every((item) => isKind(item, "string"));
  if (kind === "list") return Array.isArray(value) && value.every((item) => isKind(item, "object"));
  return typeof value === kind && value !== null && !Array.isArray(value);
}

/** Unreadable counts become 0. */
function usageOf(usage: unknown): Usage {
  const counts = usage as Readonly<Record<string, unknown>>;
  const names = Object.keys(noUsage).map((name) => [name, typeof counts[name] === "number" ? counts[name] : 0]);
  return Object.fromEntries(names) as Usage;
}

/** Whether a text is a complete envelope: callers rely on each of its fields. */
export function isEnvelope(json: string): boolean {
  try {
    const envelope: unknown = JSON.parse(json);
    if (!isJsonObject(envelope)) return false;
    if (envelope.tool_success === true) return isJsonObject(envelope.result);
    const { error, error_code: code, exit_code: exitCode, stdout, stderr } = envelope;
    const texts = [error, code, stdout, stderr];
    return (
      envelope.tool_success === false && texts.every(isText) && (exitCode === null || typeof exitCode === "number")
    );
  } catch {
    return false;
  }
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

const rewindPattern = /^\{"seq":\d+,"time":"[^"]*","type":"rewind","to":(\d+)/;
const seqPattern = /^\{"seq":(\d+)/;

/**
 * Returns which lines of a session were rewound, by position: from the target of a rewind to the rewind itself.
 * By position, because a damaged log may have duplicate `seq` values.
 *
 * @throws what reading the lines throws.
 */
export function findUndone(lines: Iterable<string>): (index: number) => boolean {
  const ranges: { from: number; to: number }[] = [];
  const seqs: number[] = [];
  for (const line of lines) {
    const to = rewindPattern.exec(line)?.[1];
    if (to !== undefined) ranges.push({ from: placeOf(Number(to), seqs), to: seqs.length });
    seqs.push(Number(seqPattern.exec(line)?.[1] ?? Number.NaN));
  }
  // A rewind that was itself rewound no longer counts; a later one takes precedence over those it spans.
  const valid: typeof ranges = [];
  for (const range of ranges.reverse()) {
    if (!valid.some(({ from, to }) => range.to >= from && range.to <= to)) valid.push(range);
  }
  return (index) => valid.some(({ from, to }) => index >= from && index <= to);
}

/** Returns a line's position, or where it would be had it not been lost. */
function placeOf(wanted: number, seqs: readonly number[]): number {
  const at = seqs.lastIndexOf(wanted);
  if (at >= 0) return at;
  const next = seqs.findIndex((seq) => seq > wanted);
  return next < 0 ? seqs.length : next;
}
