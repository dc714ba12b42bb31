import { isatty } from "node:tty";
import { jsonObject, type RecordedCall } from "@ikigai/agent/internal";
import type { Outcome } from "@ikigai/core";
import type { JsonValue } from "@ikigai/protocol";
import { printError, printOut } from "../../host/stdout.ts";
import { renderChange } from "../../render/file-change.ts";
import { jsonOrText, safeJson } from "../../render/json.ts";
import { type DiffLine, diffLines } from "../../render/line-diff.ts";
import { createLineOutput } from "../../render/line-output.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { terminalKind } from "../../render/terminal-kind.ts";
import { duration } from "../../render/times-and-sizes.ts";
import type { MadeCall, ToolState } from "./made-call.ts";
import { callLine, shellLine } from "./shell-line.ts";

/** A call with its recorded and its new result. */
interface Replay {
  readonly call: RecordedCall;
  readonly made: MadeCall;
  readonly state: ToolState;
  readonly outcome: Outcome;
}

/** Prints the new result and the differences; returns whether the results are the same. */
export function printReplay(replay: Replay, { asJson, env }: { asJson: boolean; env: NodeJS.ProcessEnv }): boolean {
  const { call, outcome } = replay;
  const difference = call.result && compareEnvelopes(call.result, outcome);
  const isSame = call.result !== undefined && difference === undefined;
  if (asJson) {
    printOut(`${safeJson(toJson(replay, isSame))}\n`);
    return isSame;
  }
  printOut(`${callLine(replay.made)}\n`);
  for (const note of outcome.notes) printError(`${sanitiseLine(note)}\n`);
  const now = duration(outcome.durationMs);
  if (!call.result) {
    printOut(`The session ended during this call. Result now, after ${now}:\n`);
    printOut(`${safeJson(outcome.json)}\n`);
    return isSame;
  }
  printOut(`${isSame ? "Same" : "Different"} result: ${duration(call.result.durationMs)} then, ${now} now\n`);
  const screen = createLineOutput(terminalKind(env, { isTerminal: isatty(1) }));
  if (difference) printOut(`${renderChange({ lines: difference }, screen).join("\n")}\n`);
  return isSame;
}

function toJson({ call, made, state, outcome }: Replay, isSame: boolean): string {
  return jsonObject({
    session_id: JSON.stringify(made.sessionId),
    id: JSON.stringify(call.id),
    name: JSON.stringify(call.name),
    command: JSON.stringify(shellLine(made)),
    tool: JSON.stringify(state.state),
    sha256: JSON.stringify({ recorded: made.sha256 ?? null, now: state.sha256 ?? null }),
    same: call.result ? String(isSame) : "null",
    recorded: jsonOrText(call.result?.json ?? "null"),
    envelope: outcome.json,
    duration_ms: String(Math.round(outcome.durationMs)),
  });
}

/** The difference between two envelopes; undefined if they are equal. */
function compareEnvelopes(then: Result, now: Result): readonly DiffLine[] | undefined {
  if (then.json === now.json) return undefined;
  try {
    const areCutAlike = (one: string, other: string) => isSameCut(one, then.overflowFile, other, now.overflowFile);
    const [before, after] = [toolsPart(then.json), toolsPart(now.json)];
    const isSame = areSame(JSON.parse(before), JSON.parse(after), areCutAlike);
    return isSame ? undefined : diffLines(linesOf(before), linesOf(after));
  } catch {
    // Not an envelope, or nested too deeply to compare: ikigai did not write this file.
    return diffLines([then.json], linesOf(now.json));
  }
}

/** An envelope without what the host of a conversation adds for the model. */
function toolsPart(json: string): string {
  const { sandbox: _, hook_context: __, ...envelope } = JSON.parse(json);
  return JSON.stringify(envelope);
}

type Result = Pick<Outcome, "json" | "overflowFile">;

function areSame(then: JsonValue, now: JsonValue, areAlike: (then: string, now: string) => boolean): boolean {
  if (typeof then === "string" && typeof now === "string") return then === now || areAlike(then, now);
  if (typeof then !== "object" || typeof now !== "object" || !then || !now) return then === now;
  if (Array.isArray(then) !== Array.isArray(now)) return false;
  const [before, after] = [new Map(Object.entries(then)), new Map(Object.entries(now))];
  return (
    before.size === after.size &&
    [...before].every(([key, value]) => after.has(key) && areSame(value, after.get(key) ?? null, areAlike))
  );
}

/** Whether two cut texts agree as far as they go: the length of the overflow file's name decides how much is kept. */
function isSameCut(then: string, thenFile: string | undefined, now: string, nowFile: string | undefined): boolean {
  const [before, after] = [keptOf(then, thenFile), keptOf(now, nowFile)];
  if (before === undefined || after === undefined) return false;
  return before.startsWith(after) || after.startsWith(before);
}

/** The kept part of a cut text, whose last line names the file with all of it. */
function keptOf(text: string, overflowFile: string | undefined): string | undefined {
  return overflowFile && text.endsWith(overflowFile) ? text.slice(0, text.lastIndexOf("\n")) : undefined;
}

/** JSON with one value per line and one line per line of text, so that a diff of long output is readable. */
function linesOf(json: string): string[] {
  return JSON.stringify(JSON.parse(json), null, 2)
    .replace(/\\(.)/g, (whole, letter) => (letter === "n" ? "\\n\n" : whole))
    .split("\n");
}
