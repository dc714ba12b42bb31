import { withoutLooks } from "../../screen/as-on-terminal.ts";
import { parseObject } from "../../screen/parse-object.ts";
import { callTitle, describeWhole, type ShownCall } from "../../screen/render-call.ts";
import { renderResult, type ToolResult } from "../../screen/render-result.ts";
import { sanitise } from "../../screen/sanitise.ts";
import type { Screen } from "../../screen/screen.ts";

/** A call and what came of it, with nothing left out. */
export interface CallRecord {
  readonly call: ShownCall;
  readonly result: ToolResult;
}

/** More are not kept. */
const maxRecords = 200;

export function keepRecord(records: CallRecord[], record: CallRecord): void {
  records.push(record);
  if (records.length > maxRecords) records.shift();
}

/** All of a call, line by line. */
export function renderRecord(
  { call, result }: CallRecord,
  look: Pick<Screen, "style" | "signs" | "columns">,
): string[] {
  const indented = (text: string) => text.split("\n").map((line) => `    ${line}`);
  return [
    `${look.style.cyan(look.signs.call)} ${callTitle(call, look)}`,
    ...indented(describeWhole(call.arguments)),
    ...wholeOutput(result).map((line) => `  ${line}`),
    ...renderResult(result, look, { withOutput: false }).trimEnd().split("\n"),
    "",
  ];
}

function wholeOutput({ envelope }: ToolResult): string[] {
  if (!envelope.tool_success) return [];
  const { output, error } = envelope.result;
  if (typeof error === "string") return [];
  const text = typeof output === "string" ? output : JSON.stringify(envelope.result, null, 2);
  return text === ""
    ? []
    : sanitise(parseObject(text) ? text : withoutLooks(text.replace(/\n$/, "").replaceAll("\r\n", "\n"))).split("\n");
}
