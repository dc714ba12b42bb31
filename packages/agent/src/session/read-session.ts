import type { Message } from "../model/message.ts";
import type { ModelUse } from "../model/model.ts";
import type { Measure, Usage } from "../model/usage.ts";
import type { PastTurn, ToolOrder } from "./conversation.ts";
import { findUndone } from "./find-undone.ts";
import { parseLine } from "./parse-line.ts";
import { followTurns, skippedLine } from "./past-turns.ts";
import { readLines } from "./read-lines.ts";
import { countUsage, endStep, type Reading, startReading, takeEvent } from "./reading.ts";
import type { SessionLine } from "./session-event.ts";

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
  if (line.type === "summary") past.replaced(length - reading.messages.length);
  past.take(line, reading.messages.length);
}
