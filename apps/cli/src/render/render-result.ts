import type { AgentEvent } from "@ikigai/agent/internal";
import { type FailureEnvelope, type JsonObject, textStart } from "@ikigai/protocol";
import { cutToWidth, headAndTail } from "./fit-text.ts";
import { parseObject } from "./json.ts";
import type { LineOutput } from "./line-output.ts";
import { sanitise, sanitiseLine } from "./sanitise.ts";
import { duration } from "./times-and-sizes.ts";

/** How many lines of an output are shown from its start and from its end. */
const head = 4;
const tail = 3;

/** How many lines are shown of what a tool printed before it failed. */
const failedTail = 5;

/** How much of a line is looked at, in characters: wider than any terminal. */
const maxLineLength = 10_000;

const indent = "  ";

export type ToolResult = Pick<
  Extract<AgentEvent, { type: "tool_result" }>,
  "name" | "envelope" | "durationMs" | "notes"
>;

type Look = Pick<LineOutput, "style" | "signs" | "columns">;

/**
 * What came of a call: the first and last lines, how it ended and how long it took.
 *
 * @param withOutput is false where the answer says what came: then only what a person cannot see there is shown.
 * @param key is what shows the lines that are left out.
 */
export function renderResult(result: ToolResult, look: Look, { withOutput = true, key = "" } = {}): string {
  const { envelope, durationMs, notes } = result;
  const { style, signs } = look;
  const body = envelope.tool_success
    ? answerLines(envelope.result, look, { withOutput, key })
    : failureLines(envelope, look, key);
  const exit = endText(envelope);
  // A call that never started took no time.
  const took = durationMs > 0 ? [duration(durationMs)] : [];
  const end = [...(exit === "" ? [] : [exit]), ...took].join(` ${signs.dot} `);
  const lines = [...body, ...notes.map((note) => style.yellow(sanitiseLine(note))), ...(end ? [style.dim(end)] : [])];
  return lines.map((line) => `${indent}${line}\n`).join("");
}

function failureLines(envelope: FailureEnvelope, look: Look, key: string): string[] {
  const { stderr } = envelope;
  return [
    ...failureTitle(envelope, look),
    ...lastLines(printedBy(envelope), look, key),
    ...lastLines(stderr, look, key).map((line) => look.style.dim(line)),
  ];
}

/** Why the call failed. Codes are for programs; what the user did on purpose is no error to them. */
function failureTitle({ error, error_code: code }: FailureEnvelope, { style }: Look): string[] {
  if (code === "TOOL_CANCELLED") return [];
  const isOnPurpose = code === "TOOL_DENIED";
  return [isOnPurpose ? style.dim(sanitiseLine(error)) : style.red(sanitiseLine(error))];
}

/** What a tool that failed had printed: text, or the `output` of a JSON answer. */
export function printedBy({ stdout }: FailureEnvelope): string {
  const output = parseObject(stdout)?.output;
  return typeof output === "string" ? output : stdout;
}

function answerLines(
  answer: JsonObject,
  look: Look,
  { withOutput, key }: { withOutput: boolean; key: string },
): string[] {
  const { output, error, hint, help } = answer;
  if (typeof error === "string") {
    const steps = (help as { steps?: unknown } | undefined)?.steps;
    const advice = [hint, ...(Array.isArray(steps) ? steps : [])].filter((line) => typeof line === "string");
    return [look.style.red(sanitiseLine(error)), ...advice.map(sanitiseLine)];
  }
  if (!withOutput) return [];
  if (typeof output === "string") {
    const cut = answer.truncated === true ? [look.style.dim("(output truncated by the tool)")] : [];
    return [...outputLines(output, look, key), ...cut];
  }
  return Object.keys(answer).length === 0 ? [] : outputLines(JSON.stringify(answer), look, key);
}

function outputLines(text: string, look: Look, key: string): string[] {
  const { style, signs } = look;
  const gap = (leftOut: number) => style.dim(`${signs.cut} ${leftOut} lines${key && `   ${key}`}`);
  return headAndTail(fittingLines(text, look), { head, tail, gap }).map((line) => line ?? "");
}

/** The end says why something failed. How many lines came before is not known: the host has kept only some of them. */
function lastLines(text: string, look: Look, key: string): string[] {
  const { style, signs } = look;
  const gap = () => style.dim(`${signs.cut} earlier output${key && `   ${key}`}`);
  return headAndTail(fittingLines(text, look), { head: 0, tail: failedTail, gap }).map((line) => line ?? "");
}

function fittingLines(text: string, { signs, columns }: Look): (string | undefined)[] {
  if (text.trim() === "") return [];
  const room = columns - indent.length;
  return scannedLines(text).map((line) => (line === undefined ? undefined : cutToWidth(line, room, signs.cut)));
}

/** The lines, sanitised; of a very long text those in the middle are counted and not looked at. */
function scannedLines(text: string): (string | undefined)[] {
  const raw = text.replace(/\n+$/, "").split("\n");
  const isShown = (index: number) => index <= head + tail || index >= raw.length - failedTail - 1;
  return raw.map((line, index) =>
    isShown(index) ? sanitise(textStart(asOnTerminal(line), maxLineLength)) : undefined,
  );
}

/** How a call ended, where a person wants to know: its exit code, or that it was stopped. */
function endText(envelope: ToolResult["envelope"]): string {
  if (!envelope.tool_success) return envelope.error_code === "TOOL_CANCELLED" ? "stopped" : "";
  const { exit_code: exitCode } = envelope.result;
  return typeof exitCode === "number" ? `exit ${exitCode}` : "";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: how programs set off text, and erase what they overwrite
const looks = /\u001b\[[\d;:]*[mK]/g;

/** What a program printed, without its colours. What else drives a terminal stays, and is made visible by `sanitise`. */
export function withoutLooks(printed: string): string {
  return printed.replace(looks, "");
}

/** The same of a line that may have been overwritten, as progress is: what it was in the end. */
export function asOnTerminal(line: string): string {
  const end = line.replace(/\r+$/, "");
  return withoutLooks(end.slice(end.lastIndexOf("\r") + 1));
}
