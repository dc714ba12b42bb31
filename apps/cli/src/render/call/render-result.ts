// What a finished call is shown as: its result, or one line for several calls in a row that only read.

import type { AgentEvent } from "@ikigai/agent";
import {
  type FailureEnvelope,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  maxImages,
  type SuccessEnvelope,
  textStart,
} from "@ikigai/protocol";
import { cutToWidth, headAndTail, type Look, rowsOf, sanitiseLine, wrapWords } from "@ikigai/screen";
import { withoutEnd } from "@ikigai/system";
import { parseObject, printedJson } from "../json.ts";
import type { LineOutput } from "../line-output.ts";
import { duration } from "../short-forms.ts";
import { paintPrinted, readPrinted } from "./program-colours.ts";
import { describeCall, type ShownCall } from "./render-call.ts";

/** Lines shown from the start and from the end of an output. */
const room = { head: 4, tail: 3 };

/** The same for a command that failed, whose reason is usually at the end: as much as a test runner prints of one failure. */
const failedRoom = { head: 1, tail: 14 };

/** Lines shown from the end of what a failed or stopped tool printed. */
const stoppedTail = 7;

/** Characters scanned of a line: more than any terminal is wide. */
const maxLineLength = 10_000;

type ResultEvent = Extract<AgentEvent, { type: "tool_result" }>;

export interface ToolResult extends Pick<ResultEvent, "name" | "envelope" | "durationMs" | "notes" | "visuals"> {
  /** The envelope's exact text, where it is known. */
  readonly json?: string;
}

interface ResultOptions {
  readonly withOutput?: boolean;
  readonly key?: string;
  readonly jobs?: "/jobs" | "log" | undefined;
}

/**
 * The result of a call: its first and last lines, how it ended and its duration.
 *
 * @param withOutput false if the answer repeats the output, which is then omitted
 * @param key the key that shows the omitted lines
 * @param jobs what shows the output of a command that the call left in the background: `/jobs`, or only its log; undefined if
 *   the call cannot have left any
 */
export function renderResult(
  result: ToolResult,
  look: Look,
  { withOutput = true, key = "", jobs }: ResultOptions = {},
): string {
  const { envelope, durationMs, notes, visuals } = result;
  const { style, signs } = look;
  const body = envelope.tool_success
    ? [
        ...answerLines(visuals ? withoutVisual(envelope.result) : envelope.result, look, { withOutput, key, jobs }),
        ...imageLines(envelope, look),
      ]
    : failureLines(envelope, look, key);
  const exit = endText(envelope);
  // A call that never started has no duration.
  const took = durationMs > 0 ? [duration(durationMs)] : [];
  // One that the user stopped has not failed.
  const isBad = envelope.tool_success && hasFailingExit(envelope.result);
  const end = [...(exit === "" || isBad ? [] : [exit]), ...took].join(` ${signs.dot} `);
  // The colour repeats what the number says.
  const ends = [...(exit !== "" && isBad ? [style.red(exit)] : []), ...(end === "" ? [] : [style.dim(end)])];
  const last = ends.join(style.dim(` ${signs.dot} `));
  const kept = envelope.sandbox === undefined ? [] : textRows(envelope.sandbox, look).map(style.dim);
  const told = [
    ...kept,
    ...checkLine(envelope, look),
    ...notes.flatMap((note) => textRows(note, look).map(style.yellow)),
  ];
  const lines = [...body, ...told, ...(last ? [last] : [])];
  return lines.map((line) => `${indent}${line}\n`).join("");
}

/** What an edit has broken, in one line: the first new error says what the rest is about. */
export function checkLine(envelope: ToolResult["envelope"], { style, signs, columns }: Look): string[] {
  const report = envelope.tool_success ? envelope.diagnostics : undefined;
  if (!report) return [];
  const [first] = report.new;
  const count = report.new.length + (report.more ?? 0);
  const numbered = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;
  const fixed = report.fixed > 0 ? `${numbered(report.fixed, "problem")} fixed` : "";
  if (!first) return [style.dim(fixed)];
  const what = report.new.some(({ severity }) => severity === "error") ? "new error" : "new warning";
  const text = `${numbered(count, what)}${fixed && `, ${fixed}`}: ${first.path}:${first.line} ${first.message}`;
  return [style.dim(cutToWidth(sanitiseLine(text), columns - indent.length, signs.cut))];
}

/** A text of a tool in rows that the terminal does not wrap: at the margin, it could pass for a question of ikigai. */
function textRows(text: string, { columns }: Look): string[] {
  return rowsOf(sanitiseLine(text), Math.max(1, columns - indent.length));
}

/** The answer without the texts of what is drawn below it. */
function withoutVisual({ visual, ...answer }: JsonObject): JsonObject {
  return answer;
}

function failureLines(envelope: FailureEnvelope, look: Look, key: string): string[] {
  const { stderr } = envelope;
  return [
    ...failureTitle(envelope, look),
    ...lastLines(printedBy(envelope), look, key),
    ...lastLines(stderr, look, key),
  ];
}

/** Why the call failed, in words: codes are for programs. The user's own denial is not shown as an error. */
function failureTitle({ error, error_code: code }: FailureEnvelope, look: Look): string[] {
  if (code === "TOOL_CANCELLED") return [];
  const { dim, red } = look.style;
  return textRows(error, look).map(code === "TOOL_DENIED" ? dim : red);
}

/** What a failed tool printed: text, or the `output` of a JSON answer. */
export function printedBy({ stdout }: FailureEnvelope): string {
  const output = parseObject(stdout)?.output;
  return typeof output === "string" ? output : stdout;
}

function answerLines(
  answer: JsonObject,
  look: Look,
  { withOutput, key, jobs }: ResultOptions & { readonly key: string },
): string[] {
  const { output, error, hint, help } = answer;
  if (typeof error === "string") {
    const steps = (help as { steps?: unknown } | undefined)?.steps;
    const advice = [hint, ...(Array.isArray(steps) ? steps : [])].filter((line) => typeof line === "string");
    return [...textRows(error, look).map(look.style.red), ...advice.flatMap((line) => textRows(line, look))];
  }
  if (!withOutput) return [];
  const { images, ...others } = answer;
  const job = jobs && jobLine(answer, jobs, look);
  if (job !== undefined) return [job];
  if (typeof output === "string") {
    const cut = answer.truncated === true ? [look.style.dim("(output truncated by the tool)")] : [];
    return [...outputLines(output, look, key, hasFailingExit(answer) ? failedRoom : room), ...cut];
  }
  const shown = pathsOf(images).length > 0 ? others : answer;
  return Object.keys(shown).length === 0 ? [] : outputLines(printedJson(shown), look, key);
}

/** A command in the background: its process, and its log, which is not cut: it has a long path, and the end of it counts. */
function jobLine({ job, pid, log }: JsonObject, jobs: "/jobs" | "log", { style, signs }: Look): string | undefined {
  if (typeof pid !== "number" || typeof log !== "string") return undefined;
  return style.dim(
    `runs as ${typeof job === "number" ? `job ${job}` : `process ${pid}`} ${signs.dot} ${jobs === "log" ? `output: ${sanitiseLine(log)}` : `${jobs} shows it`}`,
  );
}

/** Output is dim where the program gave it no colour: the answer is what one reads. */
function outputLines(text: string, look: Look, key: string, shown = room): string[] {
  const { style, signs } = look;
  // The tool has left out lines, too.
  const more = /^… \d+ bytes left out/m.test(text) ? "more than " : "";
  const gap = (leftOut: number) => style.dim(`${signs.cut} ${more}${leftOut} lines${key && `   ${key}`}`);
  return headAndTail(fittingLines(text, look), { ...shown, gap }).map((line = "") => line);
}

/** The last lines, which say why a call failed. The host keeps only some earlier ones, so their number is unknown. */
function lastLines(text: string, look: Look, key: string): string[] {
  const { style, signs } = look;
  const gap = () => style.dim(`${signs.cut} earlier output${key && `   ${key}`}`);
  return headAndTail(fittingLines(text, look), { head: 0, tail: stoppedTail, gap }).map((line = "") => line);
}

/** The lines, drawn; undefined for lines in the middle, which are only counted. */
function fittingLines(text: string, { style, signs, columns }: Look): (string | undefined)[] {
  if (text.trim() === "") return [];
  const width = columns - indent.length;
  const raw = withoutNotices(text).split("\n");
  const { tail } = failedRoom;
  const isShown = (index: number) => index <= room.head + room.tail || index >= raw.length - tail - 1;
  return raw.map((line, index) => {
    if (!isShown(index)) return undefined;
    const printed = readPrinted(line);
    return paintPrinted(printed, cutToWidth(textStart(printed.text, maxLineLength), width, signs.cut), style);
  });
}

/** An output without blank lines at its start, and without npm's notices and blank lines at its end, which hide what failed. */
function withoutNotices(text: string): string {
  const own = withoutEnd(text, "\n").replace(/^(?:[^\S\n]*\n)+/, "");
  const lines = own.split("\n");
  let end = lines.length;
  while (end > 0 && /^(?:npm notice.*|\s*)$/.test(lines[end - 1] ?? "")) end--;
  return lines.slice(0, end).some((line) => line.trim() !== "") ? lines.slice(0, end).join("\n") : own;
}

/** How a call ended: its exit code, or `stopped`; empty if there is neither. */
function endText(envelope: ToolResult["envelope"]): string {
  if (!envelope.tool_success) return envelope.error_code === "TOOL_CANCELLED" ? "stopped" : "";
  const { exit_code: exitCode, pid, log } = envelope.result;
  // It still runs.
  if (pid !== undefined && log !== undefined) return "";
  return typeof exitCode === "number" ? `exit ${exitCode}` : "";
}

/** Whether the tool failed, or its answer reports a failure. */
export function isFailure({ envelope }: ToolResult): boolean {
  return !envelope.tool_success || typeof envelope.result.error === "string" || hasFailingExit(envelope.result);
}

function hasFailingExit({ exit_code: exitCode }: JsonObject): boolean {
  return typeof exitCode === "number" && exitCode !== 0;
}

/** What each line of a result begins with. */
const indent = "  ";

/** The images of an answer in one line, and in another one the images and documents that the model does not see. */
function imageLines(
  { result, images_ignored = [], documents_ignored = [] }: SuccessEnvelope,
  look: Pick<LineOutput, "style" | "signs" | "columns">,
): string[] {
  const { style, signs, columns } = look;
  const paths = pathsOf(result.images);
  const seen = paths.slice(0, maxImages).filter((path) => !images_ignored.some((one) => one.path === path));
  const line = (start: string, texts: readonly string[]) => {
    return texts.length === 0
      ? []
      : [cutToWidth(sanitiseLine(`${start}${texts.join(", ")}`), columns - indent.length, signs.cut)];
  };
  return [
    ...line(seen.length === 1 ? "image: " : `${seen.length} images: `, seen).map(style.dim),
    ...line(
      "not shown to the model: ",
      [...images_ignored, ...documents_ignored].map(({ path, reason }) => `${path}: ${reason}`),
    ).map(style.yellow),
  ];
}

/** The paths of the images that an answer names for the model. */
function pathsOf(images: JsonValue | undefined): string[] {
  if (!Array.isArray(images)) return [];
  return images.flatMap((image) => {
    const isImage = isJsonObject(image) && typeof image.path === "string" && typeof image.mime_type === "string";
    return isImage ? [String(image.path)] : [];
  });
}

/** A call that only looked, in a few words: `grep` `sum (src)` `2 matches`. */
export interface LookPart {
  readonly name: string;
  /** Where it looked, or for what. */
  readonly what: string;
  readonly found: string;
  /** Why it may have found nothing. */
  readonly hint?: string;
}

/** More in a row share a line. */
const maxGroupLines = 2;

/** Rows of that line. */
const maxGroupRows = 4;

/** Columns of a line besides the name, the place and what was found. */
const margins = 6;

/** What the tools that come with ikigai found, by the name of the tool; undefined for an answer of another form. */
const findings = new Map<string, (answer: SuccessEnvelope) => string | undefined>([
  ["file_read", ({ result }) => counted(result.lines_read, "line", "empty")],
  ["grep", ({ result }) => counted(countIn(result), "match", "no match")],
  ["glob", ({ result }) => counted(result.count, "file", "no match")],
]);

/** How many lines were found, with those in the directories below. */
function countIn({ count, below }: JsonObject): JsonValue | undefined {
  const more = isJsonObject(below) ? below.count : 0;
  return typeof count === "number" && typeof more === "number" ? count + more : count;
}

/** Whether a call of this name may turn out to be one that only looks. */
export function mayLook({ name, scope = "system" }: ShownCall): boolean {
  return scope === "system" && findings.has(name);
}

/** A finished call that only looked; undefined for one that has more: an error, an image, a note. */
export function lookPart(call: ShownCall, { envelope, notes, visuals }: ToolResult, look: Look): LookPart | undefined {
  if (!mayLook(call) || !envelope.tool_success || notes.length > 0 || visuals) return undefined;
  const { error, images, hint, truncated } = envelope.result;
  if (error !== undefined || images !== undefined) return undefined;
  const found = findings.get(call.name)?.(envelope);
  if (found === undefined) return undefined;
  const isEmpty = found === "no match" && typeof hint === "string";
  return {
    name: call.name,
    what: describeCall(call, look),
    found: truncated === true ? `${found}, cut` : found,
    ...(isEmpty && { hint: sanitiseLine(hint) }),
  };
}

/** A line for each call; if there are more than two, one for all of them, which wraps. */
export function renderLooks(parts: readonly LookPart[], look: Look, key: string): string[] {
  const { style, signs, columns } = look;
  const sign = style.green(signs.call);
  if (parts.length <= maxGroupLines) {
    return parts.flatMap(({ name, what, found, hint }) => {
      const room = Math.max(1, columns - name.length - found.length - margins);
      return [
        `${sign} ${style.bold(name)}  ${cutToWidth(what, room, signs.cut)}  ${style.dim(found)}`,
        ...(hint === undefined ? [] : [`  ${style.dim(cutToWidth(hint, columns - 2, signs.cut))}`]),
      ];
    });
  }
  const rows = wrapWords(`${groupsOf(parts).join(` ${signs.dot} `)}   ${key}`, columns - 2).split("\n");
  const gap = (leftOut: number) => `${signs.cut} ${leftOut} lines   ${key}`;
  return headAndTail(rows, { head: maxGroupRows, tail: 0, gap }).map(
    (row, index) => `${index === 0 ? sign : " "} ${row}`,
  );
}

/** `grep sum: 2 matches, all: 3 matches`: the name once for those in a row. */
function groupsOf(parts: readonly LookPart[]): string[] {
  const groups: string[] = [];
  for (const [index, { name, what, found }] of parts.entries()) {
    const text = `${what}: ${found}`;
    if (parts[index - 1]?.name === name) groups.push(`${groups.pop()}, ${text}`);
    else groups.push(`${name} ${text}`);
  }
  return groups;
}

function counted(count: unknown, what: string, none: string): string | undefined {
  if (typeof count !== "number") return undefined;
  if (count === 0) return none;
  const plural = what === "match" ? "matches" : `${what}s`;
  return count === 1 ? `1 ${what}` : `${count} ${plural}`;
}
