import { existsSync } from "node:fs";
import {
  type AgentEvent,
  eventLine,
  noUsage,
  type Report,
  record,
  resultJson,
  resultLine,
  sessionLine,
  type TaskEnd,
  type TurnEnd,
} from "@ikigai/agent/internal";
import type { IkigaiError } from "@ikigai/core/ikigai-error";
import type { OutputFormat } from "../args/main-options.ts";
import type { Agent } from "../host/open-agent.ts";
import { findPlaces } from "../host/places.ts";
import { printError, printOut } from "../host/stdout.ts";
import { endAdvice } from "../render/failures.ts";
import { parseObject, safeJson } from "../render/json.ts";
import { printFaithfully, sanitise } from "../render/sanitise.ts";

/** Writes to stdout. */
interface Output {
  json(text: string): void;
  text(text: string): void;
}

/** Unchanged: programs get exactly the text of the model and the tools. */
export const faithfully: Output = {
  json: (text) => printFaithfully(`${text}\n`),
  text: printFaithfully,
};

/** Sanitised: the text comes from a session file that anyone may have written, and must not control a terminal. */
export const safely: Output = {
  json: (text) => printOut(`${safeJson(text)}\n`),
  text: (text) => printOut(sanitise(text)),
};

/** How a task is printed. */
export interface PrintOptions {
  readonly format: OutputFormat;
  readonly output: Output;
  /** Whether the answer must fit a schema: then nothing else is printed. */
  readonly hasSchema: boolean;
}

/** Prints an event as it happens, and records it for the result. */
export function printEvent(event: AgentEvent, report: Report, { format, output }: PrintOptions): void {
  record(report, event);
  if (event.type === "notice") printError(`${sanitise(event.text)}\n`);
  if (format === "stream-json" && event.type !== "turn_end") output.json(eventLine(event));
}

/** Prints the result of the task. */
export function printEnd(end: TurnEnd, report: Report, { format, output, hasSchema }: PrintOptions): void {
  for (const refusal of refusals(report)) printError(`${sanitise(refusal)}\n`);
  if (end.error) printError(`ikigai: ${sanitise(end.error.message)}${endAdvice(end.error.code, "print")}\n`);
  if (format === "json") output.json(resultJson(report, end));
  else if (format === "stream-json") output.json(resultLine(report, end));
  else {
    const text = hasSchema ? (end.structured ?? "") : end.text;
    if (text !== "") output.text(text.endsWith("\n") ? text : `${text}\n`);
  }
}

/** Prints the result of a task that could not start. @param agent absent if it could not be opened either */
export function printUnstarted({ code, message }: IkigaiError, agent: Agent | undefined, format: OutputFormat): void {
  if (format === "text") return;
  const { id, log } = agent?.conversation ?? {};
  // Only a resumed session has a file.
  const sessionId = log?.path !== undefined && existsSync(log.path) ? id : undefined;
  const cwd = agent?.conversation.cwd ?? findPlaces(process.env).projectDir;
  const report: Report = { sessionId, calls: new Map() };
  const error = { code: String(code), message };
  const end: TaskEnd = { reason: "failed", text: "", steps: 0, usage: noUsage, error };
  const start = { sessionId, model: null, cwd, instructions: agent?.instructions ?? [] };
  const lines = format === "json" ? [resultJson(report, end)] : [sessionLine(start), resultLine(report, end)];
  for (const line of lines) safely.json(line);
}

/** Why calls were denied, or kept from something, one per line: the user can allow them. */
function refusals({ calls }: Report): string[] {
  const told = [...calls.values()].flatMap(({ name, envelope }) => {
    const { error_code: code, error, sandbox } = parseObject(envelope) ?? {};
    const why = code === "TOOL_DENIED" ? error : sandbox;
    return why === undefined ? [] : [`${name}: ${why}`];
  });
  return [...new Set(told)];
}
