import { parseObject } from "../../render/json.ts";
import type { LineOutput } from "../../render/line-output.ts";
import { callTitle, describeWhole, type ShownCall } from "../../render/render-call.ts";
import { printedBy, renderResult, type ToolResult, withoutLooks } from "../../render/render-result.ts";
import { sanitise } from "../../render/sanitise.ts";
import { loadedVisualRenderer } from "./visual-renderer.ts";

/** A call and its result in full. */
export interface CallRecord {
  readonly call: ShownCall;
  readonly result: ToolResult;
}

/** Records kept at most. */
const maxRecords = 200;

/** The records with one more, without the oldest ones beyond the limit. */
export function withRecord(records: readonly CallRecord[], record: CallRecord): readonly CallRecord[] {
  return [...records, record].slice(-maxRecords);
}

/** A call in full, line by line. */
export function renderRecord(
  { call, result }: CallRecord,
  look: Pick<LineOutput, "style" | "signs" | "columns">,
): string[] {
  const indented = (text: string) => text.split("\n").map((line) => `    ${line}`);
  return [
    `${look.style.cyan(look.signs.call)} ${callTitle(call, look)}`,
    ...indented(describeWhole(call.arguments)),
    ...wholeOutput(result).map((line) => `  ${line}`),
    ...renderResult(withoutPrinted(result), look, { withOutput: false }).trimEnd().split("\n"),
    // No image: the viewer has a screen of its own, which is redrawn line by line.
    ...drawnTexts(result, look),
    "",
  ];
}

function drawnTexts({ visuals }: ToolResult, look: Pick<LineOutput, "style" | "signs" | "columns">): string[] {
  const renderer = loadedVisualRenderer();
  if (!renderer || !visuals) return [];
  // Those of a resumed session are as the log has them.
  return renderer.drawVisuals(renderer.readLogged(visuals), look).filter((line) => typeof line === "string");
}

/** The result without the output, which is shown in full above it. */
function withoutPrinted({ envelope, ...rest }: ToolResult): ToolResult {
  return { ...rest, envelope: envelope.tool_success ? envelope : { ...envelope, stdout: "", stderr: "" } };
}

function wholeOutput({ envelope }: ToolResult): string[] {
  if (!envelope.tool_success) return [...asLines(printedBy(envelope)), ...asLines(envelope.stderr)];
  const { output, error } = envelope.result;
  if (typeof error === "string") return [];
  return asLines(typeof output === "string" ? output : JSON.stringify(envelope.result, null, 2));
}

function asLines(text: string): string[] {
  if (text === "") return [];
  return sanitise(parseObject(text) ? text : withoutLooks(text.replace(/\n$/, "").replaceAll("\r\n", "\n"))).split(
    "\n",
  );
}
