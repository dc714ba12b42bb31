import { type AssistantPart, dropImages, type Message, userMessage } from "../model/message.ts";
import { addUsage, type Measure, measureOf, noUsage, type Usage } from "../model/usage.ts";
import { cancelledJson } from "./cancelled-json.ts";
import { compactMessages } from "./compact-messages.ts";
import { findUndone } from "./find-undone.ts";
import { readImages } from "./kept-images.ts";
import { parseLine } from "./parse-line.ts";
import { readLines } from "./read-lines.ts";
import type { SessionEvent } from "./session-event.ts";
import { followTypedCommands } from "./typed-command.ts";

/** What a session's file says. */
export interface ReadSession {
  readonly id: string;
  readonly cwd: string;
  /** Without results for `unanswered`. */
  readonly messages: Message[];
  /** Calls that have no result, in the order they were made. */
  readonly unanswered: readonly { readonly id: string; readonly name: string }[];
  readonly usage: Usage;
  readonly measured: Measure | undefined;
  /** The number of the next line: no other line has it, also where some were lost. */
  readonly nextSeq: number;
  /** How many lines could not be read. */
  readonly badLines: number;
  /** How many lines could not be written at the time, and are lost. */
  readonly lostLines: number;
  /** The last line was never finished. */
  readonly torn: boolean;
}

/** What has been read so far. */
interface Reading {
  header: { id: string; cwd: string };
  messages: Message[];
  parts: AssistantPart[];
  /** The calls of the last step that wait for their result. */
  open: Map<string, string>;
  /** The calls that have been taken: a line that stands twice is one call. */
  called: Set<string>;
  usage: Usage;
  measured?: Measure | undefined;
  lostLines: number;
  readonly typedIn: ReturnType<typeof followTypedCommands>;
}

/** Lines that tell nothing about what was said; the longest logs are half of them. */
const skippedPattern = /^\{"seq":\d+,"time":"[^"]*","type":"(?:tool_start|turn_end)"/;

/** No session has so many lines: a higher number is damaged. */
const maxSeq = 1e12;

/** @throws the system's error when there is no such file. */
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

/** Takes one event. One of a type that is not known, from a later version, changes nothing. */
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
        ...userMessage(event.text, readImages(event.images ?? [])),
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
      if (reading.open.delete(event.id)) {
        reading.messages.push({ role: "tool", id: event.id, name: event.name, json: event.json });
      }
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
    case "checkpoint":
    case "changed":
    case "rewind":
    case "turn_end":
      return;
    default:
      event satisfies never;
  }
}

/** What was taken back was paid for all the same. */
function countUsage(reading: Reading, event: SessionEvent): void {
  if (event.type === "step_end" || event.type === "spent") reading.usage = addUsage(reading.usage, event.usage);
}

function replaceBeginning({ messages, open }: Reading, before: number, text: string): void {
  messages.splice(0, before, { role: "user", text });
  // Where lines were lost, the count is too: a result must not be left without its call.
  while (messages[1]?.role === "tool") messages.splice(1, 1);
  if (!messages.some(({ role }) => role === "assistant")) open.clear();
}

function endStep(reading: Reading, model: string, interrupted: boolean): void {
  if (reading.parts.length === 0) return;
  cancelOpen(reading);
  const parts = reading.parts;
  reading.parts = [];
  // Every provider wants to hear the user first.
  if (reading.messages.length === 0) reading.messages.push(userMessage(lostBeginning));
  reading.messages.push({ role: "assistant", parts, model, ...(interrupted && { interrupted }) });
  for (const part of parts) if (part.type === "tool_call") reading.open.set(part.id, part.name);
}

/** Stands for what the user said first, where the log has lost it. */
const lostBeginning = "(The beginning of this conversation could not be read.)";

/** Gives calls that were passed over the result they never got. */
function cancelOpen(reading: Reading): void {
  for (const [id, name] of reading.open) reading.messages.push({ role: "tool", id, name, json: cancelledJson });
  reading.open.clear();
}
