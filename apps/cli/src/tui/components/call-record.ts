// A call or a thought in full, for the viewer, with the change of a file that it makes.

import type { JsonObject } from "@ikigai/protocol";
import { type Look, sanitise, sanitiseLine, statesOf, type Theme, wrapStyled } from "@ikigai/screen";
import { duplicateName } from "@ikigai/system";
import { changedLines, type FileChange, type PaintChange, renderChangeSize } from "../../render/call/file-change.ts";
import { paintPrinted, readPrinted } from "../../render/call/program-colours.ts";
import { callTitle, describeWhole, renderCall, type ShownCall } from "../../render/call/render-call.ts";
import { printedBy, renderResult, type ToolResult } from "../../render/call/render-result.ts";
import { parseObject, printedJson } from "../../render/json.ts";
import { layOutLines } from "../../render/question/question-rows.ts";
import { duration } from "../../render/short-forms.ts";
import { changePaint, loadedRenderers, loadedVisualRenderer, loadRenderers } from "./renderers.ts";

/** A call and its result in full. */
export interface CallRecord {
  readonly call: ShownCall;
  /** What the call changes in a file, which is then shown instead of its arguments. */
  readonly change?: FileChange | undefined;
  readonly result: ToolResult;
}

/** A model's reasoning before its next text or call. */
export interface ThoughtRecord {
  readonly thought: string;
  readonly tookMs: number;
}

/** A call that still runs, with the end of what it has printed. */
export interface LiveCall {
  readonly call: ShownCall;
  readonly change?: FileChange | undefined;
  readonly printed: string;
}

export type WorkRecord = CallRecord | ThoughtRecord;

/** Records kept at most. */
const maxRecords = 200;

/** The records with one more, without the oldest ones beyond the limit. */
export function withRecord(records: readonly WorkRecord[], record: WorkRecord): readonly WorkRecord[] {
  return [...records, record].slice(-maxRecords);
}

type PaintedLook = Look & {
  /** Colours changes; absent: added and removed lines are green and red. */
  readonly paint?: PaintChange | undefined;
};

const indented = (text: string) => text.split("\n").map((line) => `    ${line}`);

/** A call or a thought in full, line by line. */
export function renderRecord(record: WorkRecord, look: PaintedLook): string[] {
  return "thought" in record ? renderThought(record, look) : renderCallRecord(record, look);
}

function renderThought({ thought, tookMs }: ThoughtRecord, { style, columns }: PaintedLook): string[] {
  const lines = withoutMarks(sanitise(thought.trim()))
    .split("\n")
    .flatMap((line) => wrapStyled(line, columns - 2));
  return [style.dim(`thought for ${duration(tookMs)}`), ...lines.map((line) => style.dim(`  ${line}`)), ""];
}

/** A thought without Markdown's marks for bold text, with which models like to begin; also without one whose pair was cut off. */
export function withoutMarks(thought: string): string {
  return thought.replaceAll("**", "");
}

/** A running call, line by line. */
export function renderLive({ call, change, printed }: LiveCall, look: PaintedLook): string[] {
  const output = printed === "" ? [] : asLines(printed, look).map((line) => `  ${line}`);
  return [...callRows(call, change, look), ...output, look.style.dim("  running"), ""];
}

/** A call with all of its arguments, or the change that they make. */
function callRows(call: ShownCall, change: FileChange | undefined, look: PaintedLook): string[] {
  if (change) return [`${renderCall(call, look)}  ${renderChangeSize(change, look)}`, ...drawChange(change, look)];
  return [`${look.style.cyan(look.signs.call)} ${callTitle(call, look)}`, ...indented(describeWhole(call.arguments))];
}

function renderCallRecord({ call, change, result }: CallRecord, look: PaintedLook): string[] {
  return [
    ...callRows(call, change, look),
    ...wholeOutput(result, look).map((line) => `  ${line}`),
    ...renderResult(withoutPrinted(result), look, { withOutput: false }).trimEnd().split("\n"),
    // No image: the viewer has a screen of its own, which is redrawn line by line.
    ...drawnTexts(result, look),
    "",
  ];
}

function drawnTexts({ visuals }: ToolResult, look: PaintedLook): string[] {
  const renderer = loadedVisualRenderer();
  if (!renderer || !visuals) return [];
  // Those of a resumed session are as the log has them.
  return renderer.drawVisuals(renderer.readLogged(visuals), look).filter((line) => typeof line === "string");
}

/** The result without the output, which is shown in full above it. */
function withoutPrinted({ envelope, ...rest }: ToolResult): ToolResult {
  return { ...rest, envelope: envelope.tool_success ? envelope : { ...envelope, stdout: "", stderr: "" } };
}

function wholeOutput(result: ToolResult, look: PaintedLook): string[] {
  const { json } = result;
  const lines = readableOutput(result, look);
  if (json === undefined || duplicateName(json) === undefined) return lines;
  // A parsed answer has only the last of two fields with one name; the model has read both.
  return [...lines, look.style.dim("Some fields have the same name. The whole answer:"), ...sanitise(json).split("\n")];
}

function readableOutput({ envelope, visuals }: ToolResult, look: PaintedLook): string[] {
  if (!envelope.tool_success) {
    const { stdout, stderr } = envelope;
    const { output, ...others } = parseObject(stdout) ?? {};
    const fields = typeof output === "string" ? fieldLines(others, look) : [];
    return [...asLines(printedBy(envelope), look), ...fields, ...asLines(stderr, look)];
  }
  const { result } = envelope;
  const { output, error } = result;
  if (typeof output !== "string" && typeof error !== "string") return asLines(printedJson(result, 2), look);
  const shown = new Set<string>(shownElsewhere(result, visuals !== undefined));
  const fields = Object.fromEntries(Object.entries(result).filter(([name]) => !shown.has(name)));
  return [...(typeof output === "string" ? asLines(output, look) : []), ...fieldLines(fields, look)];
}

/** The fields of an answer that other lines of its record show. The model has read all fields, so the user must see the others. */
function* shownElsewhere({ output, error, hint, exit_code: exitCode }: JsonObject, isDrawn: boolean) {
  if (typeof output === "string") yield "output";
  if (typeof error === "string") {
    yield "error";
    if (typeof hint === "string") yield "hint";
  }
  if (typeof exitCode === "number") yield "exit_code";
  if (isDrawn) yield "visual";
}

function fieldLines(fields: JsonObject, { style }: PaintedLook): string[] {
  return Object.entries(fields).map(([name, value]) => {
    const isLine = typeof value === "string" && !/[\r\n]/.test(value);
    return style.dim(sanitiseLine(`${name}: ${isLine ? value : printedJson(value)}`));
  });
}

function asLines(text: string, { style }: PaintedLook): string[] {
  if (text === "") return [];
  // JSON has no lines that a terminal would overwrite.
  if (parseObject(text)) return sanitise(text).split("\n");
  return text
    .replace(/\n$/, "")
    .split("\n")
    .flatMap(statesOf)
    .map((line) => {
      const printed = readPrinted(line);
      return paintPrinted(printed, printed.text, style, (plain) => plain);
    });
}

/** The rows of a call's change, which are drawn again only if something about them is new. */
interface ChangeRows {
  render(change: FileChange | undefined, look: PaintedLook): readonly string[];
  /** Whether they are as they will stay: their colours are loaded with the first change. */
  areReady(change: FileChange | undefined): boolean;
}

export function createChangeRows(theme: () => Theme, changed: () => void): ChangeRows {
  let drawn: { readonly of: readonly unknown[]; readonly rows: readonly string[] } | undefined;
  let isLoading = false;
  let hasFailed = false;
  const load = () => {
    if (isLoading || loadedRenderers()) return;
    isLoading = true;
    // Without its colours a change is still one.
    const failed = () => {
      hasFailed = true;
    };
    void loadRenderers().catch(failed).then(changed);
  };
  return {
    render(change, look) {
      if (!change) return [];
      load();
      const paint = changePaint(theme());
      const of = [change, look.columns, look.style, paint];
      if (!drawn || drawn.of.some((one, index) => one !== of[index])) {
        drawn = { of, rows: drawChange(change, { ...look, paint }) };
      }
      return drawn.rows;
    },
    areReady: (change) => !change || hasFailed || loadedRenderers() !== undefined,
  };
}

/** All rows of a change, indented. */
function drawChange(change: FileChange, look: PaintedLook): string[] {
  const lines = changedLines(change, look, look.paint).map((line) => ({ ...line, margin: `    ${line.margin}` }));
  return layOutLines(lines, look);
}
