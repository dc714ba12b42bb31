import { addUsage, noUsage, type Usage } from "../model/usage.ts";
import { isKeptFile } from "./beside-log.ts";
import type { PastTurn } from "./conversation.ts";
import type { SessionLine } from "./session-event.ts";

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
export function followTurns(logPath: string) {
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
    /** Notes that the first messages were replaced. @param fewer how many fewer there are now */
    replaced(fewer: number): void {
      turns = turns.map((turn) => ({ ...turn, end: turn.end - fewer })).filter(({ end }) => end > 1);
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
