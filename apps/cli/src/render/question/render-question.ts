// The question about a call: who asks, what would run, and what each answer means.

import { resolve } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { serverOfTool } from "@ikigai/mcp/notes";
import type { Answer, Question, ToolQuestion } from "@ikigai/permission";
import { headAndTail, plainWidth, sanitiseLine, sanitiseStrictly } from "@ikigai/screen";
import { realPathOf } from "@ikigai/system";
import { changedLines, type FileChange, fileChange, type PaintChange, renderChangeSize } from "../call/file-change.ts";
import { callTitle, describeWhole } from "../call/render-call.ts";
import { bashCommandOf, parseObject } from "../json.ts";
import type { LineOutput } from "../line-output.ts";
import { shortPath } from "../short-forms.ts";
import { factLine, layOutLines, numberedLines, type QuestionLine } from "./question-rows.ts";

export interface Choices {
  /** The possible answers as text; the last line stays open. */
  readonly choices: string;
  /** Their letters. */
  readonly letters: string;
}

/** The letters that run nothing. */
export const refusals = "nev";

interface Asking {
  /** Part of the call has not been visible: it can only be denied or viewed. */
  readonly isPartial?: boolean;
}

/** The question about several calls at once. */
export function runAllTitle(count: number): string {
  return count === 2 ? "Run both?" : `Run all ${count}?`;
}

/**
 * Shows exactly what would run: the executable, the whole command or change, and the resolved path. Continuation rows are
 * marked, so that no line of a command looks like the end of another.
 */
export function renderQuestion(asked: Question, places: Places, screen: LineOutput, paint?: PaintChange): string[] {
  const { style, signs } = screen;
  const question = withoutOutside(asked);
  const { call, tool, reason, rule, outside, host, needs = [] } = question;
  const args = parseObject(call.arguments);
  const change = args && tool.scope === "system" ? fileChange(tool.name, args, places.projectDir) : undefined;
  const facts = [
    ...agentFact(question, places),
    ...(tool.scope === "system" ? [] : [`runs ${shortPath(tool.path, places)}`]),
    ...serverFact(tool),
    ...(leadsTo(question, places) ?? []),
    ...(outside === undefined ? [] : [`leaves the sandbox: ${sanitiseStrictly(sanitiseLine(outside))}`]),
    ...(bashCommand(question)?.isBackground === true ? ["keeps running in the background"] : []),
    // Only a host, and a call that no rule can allow, have a reason of their own; others are asked about because of the mode.
    ...(rule === undefined || host !== undefined ? [sanitiseLine(reason)] : []),
    ...needs.map((need) => `it ${sanitiseStrictly(sanitiseLine(need))}`),
  ];
  const texts = change ? [] : wholeCall(question).split("\n");
  // A one-line call goes beside the name.
  const [only, ...others] = texts;
  const isOneLine = only !== undefined && others.length === 0;
  const subject = change ? changeSubject(change, screen) : isOneLine ? only : "";
  const title = { style: { ...style, bold: (text: string) => text } };
  const body = change
    ? changedLines(change, screen, paint).map((line) => ({ ...line, margin: `    ${line.margin}` }))
    : isOneLine
      ? []
      : numberedLines(texts, screen);
  const head: QuestionLine = {
    margin: `${signs.call} ${callTitle(tool, title)}  `,
    marginLook: () => `${style.cyan(signs.call)} ${callTitle(tool, screen)}  `,
    text: subject,
  };
  return layOutLines([head, ...facts.map((fact) => factLine(fact, style.yellow)), ...body], screen);
}

/** The question about the arguments that the tool gets: why it must leave the sandbox is a fact of its own. */
function withoutOutside(question: Question): Question {
  const args = parseObject(question.call.arguments);
  if (question.outside === undefined || args === undefined) return question;
  const { outside: _, ...rest } = args;
  return { ...question, call: { ...question.call, arguments: JSON.stringify(rest) } };
}

/** The rows that fit, around one that says how many more there are. */
export function shortenQuestion(rows: readonly string[], room: number, { style, signs }: LineOutput): string[] {
  // The key comes first: the rest may be cut off.
  const gap = (leftOut: number) => style.yellow(`    ${signs.cut} v shows ${leftOut} more lines`);
  const tail = Math.floor((room - 1) * 0.3);
  return headAndTail(rows, { head: Math.max(1, room - 1 - tail), tail, gap });
}

function changeSubject(change: FileChange, screen: LineOutput): string {
  return `${sanitiseStrictly(sanitiseLine(change.path))}  ${renderChangeSize(change, screen)}`;
}

/**
 * The whole call. A bash call with nothing but a command, perhaps for the background, is shown as the command alone, and a
 * file_read call with nothing but a path as the path.
 */
function wholeCall(question: Question): string {
  const { call, tool } = question;
  const alone = bashCommand(question);
  if (alone) return sanitiseStrictly(alone.command);
  const whole = describeWhole(call.arguments);
  const isRead = tool.scope === "system" && tool.name === "file_read";
  return (isRead ? /^file_path: (.*)$/.exec(whole)?.[1] : undefined) ?? whole;
}

/** The command that the user could change: one of this session, not of an agent. */
export function commandOf(question: Question): string | undefined {
  return question.agents ? undefined : bashCommandOf(question);
}

/** The answer to run another command instead; undefined for an empty one. */
export function answerWith(question: Question, command: string | undefined): Answer | undefined {
  if (command === undefined || command.trim() === "") return undefined;
  if (command === commandOf(question)) return { allow: true };
  return { allow: true, arguments: JSON.stringify({ ...parseObject(question.call.arguments), command }) };
}

/** The arguments of a bash call that has only these. */
function bashCommand(question: Question): { readonly command: string; readonly isBackground: boolean } | undefined {
  const command = bashCommandOf(question);
  const { command: _, background = false, ...others } = parseObject(question.call.arguments) ?? {};
  if (command === undefined || typeof background !== "boolean" || Object.keys(others).length > 0) return undefined;
  return { command, isBackground: background };
}

/** The resolved path, if it differs from the one in the call. */
function leadsTo({ call, realPath }: Question, { projectDir }: Places): string[] | undefined {
  const args = parseObject(call.arguments);
  const path = args?.file_path ?? args?.path;
  if (realPath === undefined || typeof path !== "string") return undefined;
  return resolve(realPathOf(projectDir), path) === realPath
    ? undefined
    : [`resolves to ${sanitiseStrictly(sanitiseLine(realPath))}`];
}

/** An answer to a question: a letter, and what it does. */
export interface QuestionAnswer {
  readonly letter: string;
  readonly text: string;
  /** Said of it where there is room. */
  readonly more?: string;
}

/** What a question asks. */
export function questionTitle({ tool, outside, host }: Question): string {
  const name = sanitiseLine(tool.name);
  if (host !== undefined) return `Let ${name} reach ${sanitiseLine(host)}?`;
  return `Run ${name}${outside === undefined ? "" : " outside the sandbox"}?`;
}

/**
 * The answers to a question. A call that has not been visible in full cannot be approved.
 *
 * @param rules those that s, r and g add.
 */
export function questionAnswers(
  question: Question,
  isPartial: boolean,
  rules = question.offers?.[0] ?? (question.rule === undefined ? [] : [question.rule]),
): readonly QuestionAnswer[] {
  const { tool, waiting = [], isEdit, agents, host, needs } = question;
  const yes = isPartial
    ? [{ letter: "v", text: "view all, then answer" }]
    : [
        { letter: "y", text: "once", ...(host !== undefined && { more: "until the call ends" }) },
        ...(needs
          ? [
              {
                letter: "s",
                text: "this session",
                more: `no more questions about what ${sanitiseLine(tool.name)} needs`,
              },
              { letter: "g", text: "always, until the tool changes" },
            ]
          : []),
        ...(rules.length === 0
          ? []
          : [
              { letter: "s", text: "this session", more: `no more questions about ${scopeOf(question, rules)}` },
              { letter: "r", text: `always in this project: ${shownRules(rules)}` },
              ...(host === undefined ? [{ letter: "g", text: "always, in all projects" }] : []),
            ]),
        ...(isEdit && !agents
          ? [{ letter: "m", text: "allow edits in the project", more: "also with shift-tab" }]
          : []),
        ...(commandOf(question) === undefined || host !== undefined
          ? []
          : [{ letter: "t", text: "change the command first" }]),
        ...(waiting.length === 0 ? [] : [{ letter: "a", text: `see all ${waiting.length + 1}, then answer once` }]),
      ];
  return [...yes, { letter: "n", text: "no" }, { letter: "e", text: "no, and say why" }];
}

/** The rules that are offered together, in one line. */
function shownRules(rules: readonly string[]): string {
  if (rules.some((rule) => rule.includes("\n"))) return "exactly this command";
  return rules.map((rule) => sanitiseStrictly(sanitiseLine(rule))).join(" and ");
}

/** What the rules of a question are about. */
function scopeOf(question: Question, rules: readonly string[]): string {
  const { tool, rule, realPath, host } = question;
  const name = sanitiseLine(tool.name);
  if (host !== undefined) return "this host";
  if (rules.join() !== rule) return "such calls";
  if (rule === tool.name) return name;
  if (realPath !== undefined) return `${name} of this file`;
  return bashCommandOf(question) === undefined ? "the same call" : "this command";
}

/** The letters of the answers. */
export function lettersOf(answers: readonly QuestionAnswer[]): string {
  return answers.map(({ letter }) => letter).join("");
}

/** Where each of these letters saves the rules. */
const rememberedBy = { s: "session", r: "project", g: "everywhere" } as const;

/** The answer to a question that a letter gives without more to ask. @param rules those that s, r and g add */
export function answerFor(letter: string | undefined, rules: readonly string[] | undefined): Answer | undefined {
  if (letter === "y" || letter === "m") return { allow: true };
  if (letter !== "s" && letter !== "r" && letter !== "g") return undefined;
  return { allow: true, remember: rememberedBy[letter], ...(rules && { rules }) };
}

/** What a line answers: the letter of an answer, `yes`, or `no`, perhaps with a reason behind it. Undefined for anything else. */
export function readAnswer(line: string): { readonly letter: string; readonly words: string } | undefined {
  const text = line.trim();
  if (/^\S$/u.test(text)) return { letter: text, words: "" };
  if (/^yes[.!]?$/i.test(text)) return { letter: "y", words: "" };
  const no = /^no(?:[\s\p{P}]+(.*))?$/isu.exec(text);
  return no ? { letter: "n", words: no[1]?.trim() ?? "" } : undefined;
}

/** The letters of the answers, and `v`: what it shows is offered only if part of it is missing. */
export function lettersWithView(answers: readonly QuestionAnswer[]): string {
  return `${lettersOf(answers)}v`;
}

/** The answers on as few lines as they need. */
export function renderChoices(question: Question, screen: LineOutput, { isPartial = false }: Asking = {}): Choices {
  const asks = question.host === undefined ? "Run it?" : questionTitle(question);
  const answers = questionAnswers(question, isPartial);
  const lines = layOut([asks, ...answers.map(({ letter, text }) => `${letter} ${text}`)], screen);
  return { choices: lines.replace(asks, screen.style.bold(asks)), letters: lettersOf(answers) };
}

/** Room after the choices for a gap and the typed letter. */
const answerColumns = 3;

/** Lays out parts side by side, on as many lines as they need. The answer is typed after the last one. */
export function layOut(parts: readonly string[], screen: LineOutput): string {
  const { columns } = screen;
  const lines: string[] = [];
  for (const part of parts) {
    const longer = `${lines.at(-1) ?? ""}   ${part}`;
    if (lines.length > 0 && plainWidth(longer) + answerColumns <= columns) lines[lines.length - 1] = longer;
    else lines.push(`  ${part}`);
  }
  const rows = layOutLines(
    lines.map((line) => ({ margin: "  ", text: line.slice(2) })),
    screen,
  );
  return `${rows.join("\n")}  `;
}

/** Names the agent that asks, nested ones after those that started them; `undefined` if it is this session itself. */
export function agentNames({ agents }: Pick<Question | ToolQuestion, "agents">): string | undefined {
  return agents?.map((name) => sanitiseStrictly(sanitiseLine(name))).join(" > ");
}

/** What a question about a call shows about the agent that wants to make it: one sentence part, or none. */
export function agentFact(question: Pick<Question, "agents" | "directory">, places: Places): string[] {
  const names = agentNames(question);
  if (names === undefined) return [];
  const { directory = places.projectDir } = question;
  const isElsewhere = realPathOf(directory) !== realPathOf(places.projectDir);
  return [`for the agent ${names}${isElsewhere ? `, in ${shortPath(directory, places)}` : ""}`];
}

/** A line of a question: the MCP server that answers the call, if one does. */
export function serverFact(tool: Question["tool"]): string[] {
  const server = serverOfTool(tool);
  return server ? [sanitiseStrictly(sanitiseLine(`server ${server.name}: ${server.target}`))] : [];
}
