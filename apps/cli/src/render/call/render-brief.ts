// Calls that are shown as what they mean: a question of the model with its answer, and the list of tasks.

import {
  cutToWidth,
  headAndTail,
  type Look,
  plainWidth,
  type Style,
  sanitiseLine,
  sanitiseStrictly,
} from "@ikigai/screen";
import { parseObject } from "../json.ts";
import type { ShownCall } from "./render-call.ts";
import type { ToolResult } from "./render-result.ts";

/** Shown of a question even if the answer is long, in columns. */
const minQuestion = 20;

/** Tasks shown of a list that is done. */
const maxTasks = 20;

/** Whether a call is a question of the model, which is shown with its answer. */
export function isQuestion({ name, scope = "system" }: ShownCall): boolean {
  return name === "ask_user" && scope === "system";
}

/** The words of a model's question on one line. */
export function questionWords(question: string): string {
  return sanitiseStrictly(sanitiseLine(withoutMarkdown(question).replace(/\s+/g, " ").trim()));
}

/** A question of the model and the user's answer: `● ask_user  Which database?  PostgreSQL`. Undefined for any other call. */
export function answeredLine(call: ShownCall, result: ToolResult, { style, signs, columns }: Look): string | undefined {
  if (!isQuestion(call) || !isPlain(result)) return undefined;
  const { answer, error_code: code } = result.envelope.result;
  const { question } = parseObject(call.arguments) ?? {};
  if (typeof question !== "string" || (typeof answer !== "string" && code !== "REFUSED")) return undefined;
  const said = typeof answer === "string" ? sanitiseLine(answer.replace(/\s+/g, " ").trim()) : "";
  const shown = said === "" ? "no answer" : said;
  const start = `${signs.call} ${call.name}  `;
  const room = Math.max(minQuestion, columns - plainWidth(`${start}  ${shown}`));
  const words = cutToWidth(questionWords(question), room, signs.cut);
  return `${style.green(signs.call)} ${style.bold(call.name)}  ${words}  ${(said === "" ? style.dim : style.bold)(shown)}`;
}

/** A list of tasks in one line while one is open: it is above the input. Once all are done, with them. Undefined for any other call. */
export function todoLines(call: ShownCall, result: ToolResult, look: Look, key: string): string[] | undefined {
  const { style, signs, columns } = look;
  if (call.name !== "todo" || (call.scope ?? "system") !== "system" || !isPlain(result)) return undefined;
  const { open, done, output } = result.envelope.result;
  if (typeof open !== "number" || typeof done !== "number" || typeof output !== "string") return undefined;
  const head = `${style.green(signs.call)} ${style.bold(call.name)}  ${done} of ${open + done} done`;
  const gap = (leftOut: number) => `${signs.cut} ${leftOut} lines   ${key}`;
  const tasks = open > 0 || output === "" ? [] : output.split("\n").map(sanitiseLine);
  const rows = headAndTail(tasks, { head: maxTasks, tail: 0, gap });
  return [head, ...rows.map((row) => style.dim(`  ${cutToWidth(row, columns - 2, signs.cut)}`))];
}

type PlainResult = ToolResult & { readonly envelope: { readonly tool_success: true } };

/** Whether the call succeeded, and there is nothing besides its answer. */
function isPlain(result: ToolResult): result is PlainResult {
  return result.envelope.tool_success && result.notes.length === 0 && result.visuals === undefined;
}

/** A task of the tool `todo`. */
export interface TodoItem {
  readonly text: string;
  readonly status: keyof typeof todoMarks;
}

export const todoMarks = { open: "[ ]", doing: "[>]", done: "[x]" } as const;

/** One line for each task. The one that is being done stands out. */
export function renderTodos(items: readonly TodoItem[], style: Style): string[] {
  const looks = { open: (text: string) => text, doing: style.bold, done: style.dim } as const;
  return items.map(({ text, status }) => looks[status](`${todoMarks[status]} ${sanitiseLine(text)}`));
}

/**
 * A heading's mark; code; bold text; text in italics. Code comes first: inside it, such a mark is text. Stars inside a word or a
 * path are text, too: `2**10`, `src/**`.
 */
const marks =
  /^#{1,6} +(?=\S)|`([^`\n]+)`|(?<![\w*/])\*\*(?=[^\s*/])(.+?)(?<=[^\s*/])\*\*(?![\w*/])|(?<![\w*/])\*(?=[^\s*/])([^*\n]*[^\s*/])\*(?![\w*/])/gm;

/** The text without the marks of Markdown that models like to put into a sentence. */
export function withoutMarkdown(text: string): string {
  return text.replace(marks, (_, code?: string, bold?: string, italic?: string) => {
    return code ?? withoutMarkdown(bold ?? italic ?? "");
  });
}
