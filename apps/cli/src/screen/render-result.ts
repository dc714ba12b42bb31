import type { AgentEvent } from "@ikigai/agent";
import type { FailureEnvelope, JsonObject } from "@ikigai/protocol";
import { asOnTerminal } from "./as-on-terminal.ts";
import { duration } from "./duration.ts";
import { headAndTail } from "./head-and-tail.ts";
import { parseObject } from "./parse-object.ts";
import { sanitise, sanitiseLine } from "./sanitise.ts";
import type { Screen } from "./screen.ts";
import { cutToWidth } from "./text-width.ts";

/** How many lines of an output are shown from its start and from its end. */
const head = 4;
const tail = 3;

/** How much of a line is looked at, in characters: wider than any terminal. */
const maxLineLength = 10_000;

const indent = "  ";

export type ToolResult = Pick<
  Extract<AgentEvent, { type: "tool_result" }>,
  "name" | "envelope" | "durationMs" | "notes"
>;

type Look = Pick<Screen, "style" | "signs" | "columns">;

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
  const exit = envelope.tool_success ? exitText(envelope.result) : "";
  // A call that never started took no time.
  const took = durationMs > 0 ? [duration(durationMs)] : [];
  const end = [...(exit === "" ? [] : [exit]), ...took].join(` ${signs.dot} `);
  const lines = [...body, ...notes.map((note) => style.yellow(sanitiseLine(note))), ...(end ? [style.dim(end)] : [])];
  return lines.map((line) => `${indent}${line}\n`).join("");
}

function failureLines({ error, error_code: code, stdout, stderr }: FailureEnvelope, look: Look, key: string): string[] {
  const { style } = look;
  return [
    style.red(`${code}: ${sanitiseLine(error)}`),
    ...outputLines(partialOutput(stdout), look, key),
    ...outputLines(stderr, look, key).map((line) => style.dim(line)),
  ];
}

/** What a tool that was stopped had printed: bash and its like print an answer even then. */
function partialOutput(stdout: string): string {
  const output = parseObject(stdout)?.output;
  return typeof output === "string" ? output : stdout;
}

function answerLines(
  answer: JsonObject,
  look: Look,
  { withOutput, key }: { withOutput: boolean; key: string },
): string[] {
  const { output, error, error_code: code, hint, help } = answer;
  if (typeof error === "string") {
    const steps = (help as { steps?: unknown } | undefined)?.steps;
    const advice = [hint, ...(Array.isArray(steps) ? steps : [])].filter((line) => typeof line === "string");
    const title = typeof code === "string" ? `${code}: ${error}` : error;
    return [look.style.red(sanitiseLine(title)), ...advice.map(sanitiseLine)];
  }
  if (!withOutput) return [];
  if (typeof output === "string") {
    const cut = answer.truncated === true ? [look.style.dim("(the tool cut its output)")] : [];
    return [...outputLines(output, look, key), ...cut];
  }
  return Object.keys(answer).length === 0 ? [] : outputLines(JSON.stringify(answer), look, key);
}

function outputLines(text: string, { style, signs, columns }: Look, key: string): string[] {
  if (text.trim() === "") return [];
  const room = columns - indent.length;
  const lines = scannedLines(text).map((line) => (line === undefined ? undefined : cutToWidth(line, room, signs.cut)));
  const gap = (leftOut: number) => style.dim(`${signs.cut} ${leftOut} lines${key && `   ${key}`}`);
  return headAndTail(lines, { head, tail, gap }).map((line) => line ?? "");
}

/** The lines, sanitised; of a very long text those in the middle are counted and not looked at. */
function scannedLines(text: string): (string | undefined)[] {
  const raw = text.replace(/\n+$/, "").split("\n");
  const isShown = (index: number) => index <= head + tail || index >= raw.length - tail - 1;
  return raw.map((line, index) => (isShown(index) ? sanitise(asOnTerminal(line).slice(0, maxLineLength)) : undefined));
}

function exitText({ exit_code: exitCode }: JsonObject): string {
  return typeof exitCode === "number" ? `exit ${exitCode}` : "";
}
