import type { AgentEvent } from "@ikigai/agent/internal";
import { asOnTerminal } from "../render/as-on-terminal.ts";
import { cutToWidth } from "../render/fit-text.ts";
import type { LineOutput } from "../render/line-output.ts";
import { sanitiseLine } from "../render/sanitise.ts";

export type Progress = Extract<AgentEvent, { type: "tool_progress" }>["progress"];

/** The progress of a running call in one line, which can be printed again and again. */
export function progressLine(
  { progress, total, message = "" }: Progress,
  { style, signs, columns }: LineOutput,
): string {
  // Progress may have several lines; the last one is the current state.
  const line = sanitiseLine(asOnTerminal(message.trimEnd().split("\n").at(-1) ?? ""));
  const share = total ? `${Math.round((progress / total) * 100)} %` : line === "" ? String(progress) : "";
  const whole = `  ${`${signs.cut} ${line} ${share}`.trimEnd()}`;
  // A row that wraps could imitate a question.
  return style.dim(cutToWidth(whole, columns - 1, signs.cut));
}
