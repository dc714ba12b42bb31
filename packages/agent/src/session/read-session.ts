import { type AssistantPart, dropImages, type Message, toolMessage, userMessage } from "../model/message.ts";
import { addUsage, type Measure, measureOf, noUsage, type Usage } from "../model/usage.ts";
import { cancelledJson } from "./cancelled-json.ts";
import { compactMessages } from "./compact-messages.ts";
import { findUndone } from "./find-undone.ts";
import { readImages } from "./kept-images.ts";
import { parseLine } from "./parse-line.ts";
import { readLines } from "./read-lines.ts";
import type { SessionEvent } from "./session-event.ts";
import { followTypedCommands } from "./typed-command.ts";

/** The contents of a session file. */
export interface ReadSession {
  readonly id: string;
  readonly cwd: string;
  /** Without results for `unanswered`. */
  readonly messages: Message[];
  /** Calls without a result, in the order they were made. */
  readonly unanswered: readonly { readonly id: string; readonly name: string }[];
  readonly usage: Usage;
  readonly measured: Measure | undefined;
  /** The next line's number, which no other line has, even if some were lost. */
  readonly nextSeq: number;
  /** How many lines could not be read. */
  readonly badLines: number;
  /** How many lines are lost because they could not be written. */
  readonly lostLines: number;
  /** Whether the last line was incomplete. */
  readonly torn: boolean;
}

/** The state while reading. */
interface Reading {
  header: { id: string; cwd: string };
  messages: Message[];
  parts: AssistantPart[];
  /** The calls of the last step that have no result yet. */
  open: Map<string, string>;
  /** The calls so far: a duplicate line is one call. */
  called: Set<string>;
  usage: Usage;
  measured?: Measure | undefined;
  lostLines: number;
  readonly typedIn: ReturnType<typeof followTypedCommands>;
}

/** Lines without conversation content; half of the longest logs. */
const skippedPattern = /^\{"seq":\d+,"time":"[^"]*","type":"(?:tool_start|hook|turn_end)"/;

/** No session has this many lines: a higher number is damaged. */
const maxSeq = 1e12;

/** @throws the system's error if there is no such file. */
export function readSession(path: string): ReadSession {
  const reading: Reading = {
    header: { id: "", cwd: "" },
    messages: [],
    parts: [],
    open: new Map(),
    called: new Set(),
    usage: noUsage,
    lostLines: 0,
    typedIn: followTypedCommands(),
  };
  const isUndone = findUndone(path);
  let lines = 0;
  let badLines = 0;
  let torn = false;
  const onTorn = () => {
    torn = true;
  };
  let nextSeq = 0;
  for (const line of readLines(path, onTorn)) {
    const index = lines++;
    if (skippedPattern.test(line)) continue;
    const event = parseLine(line);
    if (!event) badLines++;
    else if (isUndone(index)) countUsage(reading, event);
    else take(reading, event);
    if (event && event.seq < maxSeq) nextSeq = Math.max(nextSeq, event.seq + 1);
  }
  endStep(reading, "unknown", true);
  const { header, messages, usage, measured, lostLines } = reading;
  const unanswered = [...reading.open].map(([id, name]) => ({ id, name }));
  return {
    ...header,
    messages,
    unanswered,
    usage,
    measured,
    nextSeq: Math.max(nextSeq, lines),
    badLines,
    lostLines,
    torn,
  };
}

/** Applies one event. Unknown types, from later versions, have no effect. */
function take(reading: Reading, event: SessionEvent): void {
  const typed = reading.typedIn(event);
  switch (event.type) {
    case "session":
      reading.header = { id: event.id, cwd: event.cwd };
      return;
    case "user":
      endStep(reading, "unknown", true);
      cancelOpen(reading);
      reading.messages.push({
        ...userMessage(event.text, readImages(event.images ?? []), event.context),
        ...(typed && { command: typed.command }),
      });
      return;
    case "drop_images":
      dropImages(reading.messages);
      return;
    case "text":
    case "reasoning":
      reading.parts.push({ type: event.type, text: event.text, ...(event.metadata && { metadata: event.metadata }) });
      return;
    case "tool_call": {
      const { id, name, arguments: args, metadata } = event;
      if (reading.called.has(id)) return;
      reading.called.add(id);
      reading.parts.push({ type: "tool_call", id, name, arguments: args, ...(metadata && { metadata }) });
      return;
    }
    case "step_end":
      endStep(reading, event.model, event.finish === "interrupted" || event.finish === "failed");
      countUsage(reading, event);
      reading.measured = measureOf(event.usage, reading.messages.length) ?? reading.measured;
      return;
    case "tool_result":
      endStep(reading, "unknown", false);
      // A second result, or one without a call, would make the history invalid.
      if (reading.open.delete(event.id)) reading.messages.push(resultOf(event));
      return;
    case "compact":
      reading.measured = undefined;
      compactMessages(reading.messages, event.before, event.directory);
      return;
    case "summary":
      reading.measured = undefined;
      replaceBeginning(reading, event.before, event.text);
      return;
    case "spent":
      countUsage(reading, event);
      return;
    case "lost":
      reading.lostLines += Math.max(0, event.lines);
      return;
    case "skipped":
    case "typed_call":
    case "tool_start":
    case "hook":
    case "checkpoint":
    case "changed":
    case "rewind":
    case "turn_end":
      return;
    default:
      event satisfies never;
  }
}

function resultOf({ id, name, json, images = [] }: Extract<SessionEvent, { type: "tool_result" }>): Message {
  return toolMessage({ id, name, json }, readImages(images));
}

/** Rewound requests cost money too. */
function countUsage(reading: Reading, event: SessionEvent): void {
  if (event.type === "step_end" || event.type === "spent") reading.usage = addUsage(reading.usage, event.usage);
}

function replaceBeginning({ messages, open }: Reading, before: number, text: string): void {
  messages.splice(0, before, { role: "user", text });
  // Lost lines make this count inexact: a result must not remain without its call.
  while (messages[1]?.role === "tool") messages.splice(1, 1);
  if (!messages.some(({ role }) => role === "assistant")) open.clear();
}

function endStep(reading: Reading, model: string, interrupted: boolean): void {
  if (reading.parts.length === 0) return;
  cancelOpen(reading);
  const parts = reading.parts;
  reading.parts = [];
  // Every provider requires a user message first.
  if (reading.messages.length === 0) reading.messages.push(userMessage(lostBeginning));
  reading.messages.push({ role: "assistant", parts, model, ...(interrupted && { interrupted }) });
  for (const part of parts) if (part.type === "tool_call") reading.open.set(part.id, part.name);
}

/** Replaces a first user message that the log has lost. */
const lostBeginning = "(The beginning of this conversation could not be read.)";

/** Adds the missing results of skipped calls. */
function cancelOpen(reading: Reading): void {
  for (const [id, name] of reading.open) reading.messages.push({ role: "tool", id, name, json: cancelledJson });
  reading.open.clear();
}
