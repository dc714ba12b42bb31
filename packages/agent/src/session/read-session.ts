import type { Message } from "../model/message.ts";
import type { ModelUse } from "../model/model.ts";
import type { Measure, Usage } from "../model/usage.ts";
import { findUndone } from "./find-undone.ts";
import { parseLine } from "./parse-line.ts";
import { readLines } from "./read-lines.ts";
import { countUsage, endStep, startReading, takeEvent } from "./reading.ts";

/** The contents of a session file. */
export interface ReadSession {
  readonly id: string;
  readonly cwd: string;
  /** Without results for `unanswered`. */
  readonly messages: Message[];
  /** The tools that were loaded, in this order. */
  readonly introduced: string[];
  /** Calls without a result, in the order they were made. */
  readonly unanswered: readonly { readonly id: string; readonly name: string }[];
  readonly usage: Usage;
  readonly measured: Measure | undefined;
  /** `undefined` before the first request. */
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

/** Starts of lines without conversation content; half of the longest logs. */
const skippedPattern = /^\{"seq":\d+,"time":"[^"]*","type":"(?:tool_start|hook|turn_end)"/;

/** Only a `tool_start` whose arguments were changed holds something: the arguments. */
function isSkipped(line: string): boolean {
  return skippedPattern.test(line) && !line.includes('"arguments":');
}

/** No session has this many lines: a higher number is damaged. */
const maxSeq = 1e12;

/** @throws the system's error if there is no such file. */
export function readSession(path: string): ReadSession {
  const reading = startReading(path);
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
    if (isSkipped(line)) continue;
    const event = parseLine(line);
    if (!event) badLines++;
    else if (isUndone(index)) countUsage(reading, event);
    else takeEvent(reading, event);
    if (event && event.seq < maxSeq) nextSeq = Math.max(nextSeq, event.seq + 1);
  }
  endStep(reading, "unknown", true);
  const { header, messages, introduced, usage, measured, lastUse, lostLines } = reading;
  const unanswered = [...reading.open].map(([id, name]) => ({ id, name }));
  return {
    ...header,
    messages,
    introduced,
    unanswered,
    usage,
    measured,
    lastUse,
    nextSeq: Math.max(nextSeq, lines),
    badLines,
    lostLines,
    torn,
  };
}
