// Reads logs: their lines, those that still count, and a whole session with its turns.
import { closeSync, existsSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { addUsage, type Measure, type Message, type ModelUse, noUsage, type Usage } from "@ikigai/models";
import { openRegularFile, readRegularFile } from "@ikigai/system";
import type { Conversation, PastTurn, ToolOrder } from "../conversation.ts";
import { AgentError } from "../errors.ts";
import { findUndone, type HostUse, parseLine, type SessionLine } from "./events.ts";
import { isKeptFile, type SessionLog, stateDir } from "./log.ts";
import { countUsage, endStep, type Reading, startReading, takeEvent } from "./rebuild.ts";

/**
 * Yields the valid lines of a session: readable and not rewound, and also those that could not be written to the file yet.
 *
 * @throws the system's error if the file exists but cannot be read.
 */
export function* readKeptLines(log: Pick<SessionLog, "path" | "unwritten">): Generator<SessionLine> {
  const isUndone = findUndone(allLines(log));
  let index = 0;
  for (const line of allLines(log)) {
    const event = isUndone(index++) ? undefined : parseLine(line);
    if (event) yield event;
  }
}

/** Yields the valid lines of a session, rewound ones too. @throws as `readKeptLines` does. */
export function* readAllLines(log: Pick<SessionLog, "path" | "unwritten">): Generator<SessionLine> {
  for (const line of allLines(log)) {
    const event = parseLine(line);
    if (event) yield event;
  }
}

/** A call, and the hosts that it reached or was refused. */
export interface NetworkedCall {
  readonly call: { readonly name: string; readonly arguments: string };
  readonly hosts: readonly HostUse[];
}

/** Returns the calls that used the network, in order, also those of turns that were rewound. @throws as `readKeptLines` does. */
export function networkedCalls({ log }: Pick<Conversation, "log">): NetworkedCall[] {
  const calls = new Map<string, NetworkedCall["call"]>();
  const found: NetworkedCall[] = [];
  for (const line of readAllLines(log)) {
    if (line.type === "tool_call") calls.set(line.id, { name: line.name, arguments: line.arguments });
    const call = line.type === "network" ? calls.get(line.id) : undefined;
    if (call && line.type === "network") found.push({ call, hosts: line.hosts });
  }
  return found;
}

function* allLines({ path, unwritten }: Pick<SessionLog, "path" | "unwritten">): Generator<string> {
  if (path !== undefined && existsSync(path)) yield* readLines(path);
  yield* unwritten;
}

/** Returns the model's last answer, even if a summary replaced it; `undefined` without one. */
export function lastAnswer({ messages, log }: Conversation): string | undefined {
  const text = messages.map(textOf).findLast((found) => found !== "");
  return text ?? lastLoggedAnswer(log);
}

function textOf(message: Message): string {
  if (message.role !== "assistant") return "";
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

function lastLoggedAnswer(log: Conversation["log"]): string | undefined {
  let last: string | undefined;
  let step = "";
  for (const event of readKeptLines(log)) {
    if (event.type === "text") step += event.text;
    if (event.type !== "step_end") continue;
    last = step || last;
    step = "";
  }
  return last;
}

/** A task of the model's list. */
export interface TodoItem {
  readonly text: string;
  readonly status: string;
}

/** Reads the tasks that the model keeps for a session; none if it has no list, or its file cannot be read. */
export function readTodos(conversation: Pick<Conversation, "log">): readonly TodoItem[] {
  const directory = stateDir(conversation);
  if (directory === undefined) return [];
  try {
    const { items } = JSON.parse(readRegularFile(join(directory, "todo.json"), chunkBytes).toString("utf8")) ?? {};
    return Array.isArray(items) ? items.filter(isTodoItem) : [];
  } catch {
    return [];
  }
}

/** Empties that list. */
export function clearTodos(conversation: Pick<Conversation, "log">): void {
  const directory = stateDir(conversation);
  if (directory !== undefined) rmSync(join(directory, "todo.json"), { force: true });
}

function isTodoItem(item: unknown): item is TodoItem {
  const { text, status } = (item ?? {}) as Partial<Readonly<Record<keyof TodoItem, unknown>>>;
  return typeof text === "string" && typeof status === "string";
}

const chunkBytes = 1_048_576;
const newline = 0x0a;

/** Longer lines are not ikigai's, in bytes. */
const maxLineBytes = 64 * 1_048_576;

/**
 * Yields the whole lines of a file one by one, holding only the longest in memory. Text after the last newline is not a
 * line: `torn` is called if there is any.
 *
 * @throws the system's error; AgentError `session_unreadable` if it is not a regular file.
 */
export function* readLines(path: string, torn: () => void = () => {}): Generator<string> {
  const fd = openRegularFile(path);
  if (fd === undefined) throw new AgentError("session_unreadable", `${path} is not a regular file.`);
  try {
    let rest: Buffer[] = [];
    let restBytes = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const bytes = readSync(fd, chunk);
      if (bytes === 0) break;
      const data = chunk.subarray(0, bytes);
      let start = 0;
      for (let end = data.indexOf(newline); end >= 0; end = data.indexOf(newline, start)) {
        const piece = data.subarray(start, end);
        yield rest.length > 0 ? Buffer.concat([...rest, piece]).toString("utf8") : piece.toString("utf8");
        rest = [];
        restBytes = 0;
        start = end + 1;
      }
      if (start < bytes && restBytes < maxLineBytes) rest.push(data.subarray(start));
      restBytes += bytes - start;
    }
    if (restBytes > 0) torn();
  } finally {
    closeSync(fd);
  }
}

/** The contents of a session file. */
export interface ReadSession {
  readonly id: string;
  readonly cwd: string;
  /** Without results for `unanswered`. */
  readonly messages: Message[];
  /** The parts of the system prompt; `undefined` if the next turn begins a new one. */
  readonly prompt: Readonly<Record<string, string>> | undefined;
  /** The tools that were loaded, in this order. */
  readonly introduced: string[];
  readonly toolOrder: ToolOrder | undefined;
  /** Calls without a result, in the order they were made. */
  readonly unanswered: readonly { readonly id: string; readonly name: string }[];
  readonly usage: Usage;
  readonly measured: Measure | undefined;
  /** The turns that have ended, in order. */
  readonly turns: readonly PastTurn[];
  /** What the user last chose, or the last request used; `undefined` before the first request. */
  readonly lastUse: ModelUse | undefined;
  /** The next line's number, which no other line has, even if some were lost. */
  readonly nextSeq: number;
  /** How many lines could not be read. */
  readonly badLines: number;
  /** How many lines are lost because they could not be written. */
  readonly lostLines: number;
  /** Whether the last line was incomplete. */
  readonly torn: boolean;
}

/** No session has this many lines: a higher number is damaged. */
const maxSeq = 1e12;

/** @throws the system's error if the file cannot be read; AgentError `session_unreadable` if it is not a regular file. */
export function readSession(path: string): ReadSession {
  const reading = startReading(path);
  const past = followTurns(path);
  const isUndone = findUndone(readLines(path));
  let lines = 0;
  let badLines = 0;
  let torn = false;
  const onTorn = () => {
    torn = true;
  };
  let nextSeq = 0;
  for (const line of readLines(path, onTorn)) {
    const index = lines++;
    const skipped = skippedLine(line);
    if (skipped && !isUndone(index)) past.take(skipped, reading.messages.length);
    if (skipped) continue;
    const event = parseLine(line);
    if (!event) badLines++;
    else if (isUndone(index)) countUsage(reading, event);
    else takeLine(reading, past, event);
    if (event && event.seq < maxSeq) nextSeq = Math.max(nextSeq, event.seq + 1);
  }
  endStep(reading, "unknown", true);
  const { header, messages, prompt, introduced, toolOrder, usage, measured, usesIn, lostLines } = reading;
  const unanswered = [...reading.open].map(([id, name]) => ({ id, name }));
  return {
    ...header,
    messages,
    prompt,
    introduced,
    toolOrder,
    unanswered,
    usage,
    measured,
    turns: past.turns(),
    lastUse: usesIn.last(),
    nextSeq: Math.max(nextSeq, lines),
    badLines,
    lostLines,
    torn,
  };
}

function takeLine(reading: Reading, past: ReturnType<typeof followTurns>, line: SessionLine): void {
  const { length } = reading.messages;
  takeEvent(reading, line);
  reading.usesIn.take(line);
  if (line.type === "summary") past.replaced(length - reading.messages.length, line.from);
  past.take(line, reading.messages.length);
}

/** A line that is not parsed, because it has no content of the conversation. */
type SkippedLine = { readonly type: "skipped-line"; readonly time: string; readonly durationMs: number };

/** Starts of lines without conversation content; half of the longest logs. */
const skippedPattern = /^\{"seq":\d+,"time":"([^"]*)","type":"(?:tool_start|hook)"/;

/** Only a `tool_start` whose arguments were changed holds something: the arguments. */
export function skippedLine(line: string): SkippedLine | undefined {
  const [, time] = skippedPattern.exec(line) ?? [];
  if (time === undefined || line.includes('"arguments":')) return undefined;
  return { type: "skipped-line", time, durationMs: Number(/"durationMs":(\d+)/.exec(line)?.[1] ?? 0) };
}

/** Follows the lines of a log, from the first one on. */
function followTurns(logPath: string) {
  let turns: PastTurn[] = [];
  let open: OpenTurn | undefined;
  let lastMs = Number.NaN;
  return {
    /** @param messages how many the conversation has after the line */
    take(line: SessionLine | SkippedLine, messages: number): void {
      const nowMs = Date.parse(line.time);
      // A clock can go back, and a damaged line may have any time.
      const passedMs = Math.max(0, nowMs - lastMs) || 0;
      lastMs = nowMs;
      if (line.type === "user" && !line.typed) open ??= { workedMs: 0, usage: noUsage, before: new Map() };
      if (!open) return;
      open.workedMs += Math.min(passedMs, mostWorkMs(line));
      if (line.type === "step_end") open.model = line.model;
      if (line.type === "step_end" || line.type === "spent") open.usage = addUsage(open.usage, line.usage);
      if (line.type === "checkpoint" && (line.kept === null || isKeptFile(logPath, line.kept)))
        open.before.set(line.id, line.kept);
      if (line.type !== "turn_end") return;
      const { reason, error } = line;
      const end = { end: messages, reason, ...(error !== undefined && { error }), endedAt: new Date(nowMs) };
      if (!Number.isNaN(nowMs)) turns.push({ ...open, ...end });
      open = undefined;
    },
    /** Notes that messages were replaced with one. @param fewer how many fewer there are now @param from the first one */
    replaced(fewer: number, from = 0): void {
      const before = turns.filter(({ end }) => end <= from);
      const after = turns.filter(({ end }) => end > from).map((turn) => ({ ...turn, end: turn.end - fewer }));
      turns = [...before, ...after.filter(({ end }) => end > from + 1)];
    },
    turns: (): readonly PastTurn[] => turns,
  };
}

interface OpenTurn {
  workedMs: number;
  usage: Usage;
  model?: string;
  readonly before: Map<string, string | null>;
}

/** How much of the time before a line was work at most, in milliseconds. A question may have been open before a call started. */
function mostWorkMs(line: SessionLine | SkippedLine): number {
  switch (line.type) {
    case "user":
    case "question":
    case "checkpoint":
    case "tool_start":
      return 0;
    case "tool_result":
    case "hook":
    case "skipped-line":
      return Math.max(0, Number(line.durationMs) || 0);
    default:
      return Number.POSITIVE_INFINITY;
  }
}
