import { noUsage, type Usage } from "@ikigai/models";
import { isJsonObject } from "@ikigai/protocol";
import type { SessionEvent, SessionLine } from "./session-event.ts";

type Kind = "string" | "number" | "object" | "list" | "names" | "texts";

/** Required fields by event type. Optional fields end in `?`. */
const fields: Readonly<Record<SessionEvent["type"], Readonly<Record<string, Kind>>>> = {
  session: { id: "string", cwd: "string", "replayOf?": "string", "parent?": "object" },
  user: { text: "string", "images?": "list", "context?": "string", "changed?": "texts" },
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
  summary: { before: "number", text: "string" },
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
