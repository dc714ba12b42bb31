import { resolve } from "node:path";
import type { Question } from "@ikigai/agent";
import { realPathOf } from "@ikigai/core";
import type { Places } from "../places.ts";
import { type FileChange, fileChange } from "./file-change.ts";
import { headAndTail } from "./head-and-tail.ts";
import { parseObject } from "./parse-object.ts";
import { callTitle, describeWhole } from "./render-call.ts";
import { renderChange, renderChangeSize } from "./render-change.ts";
import { sanitiseLine, sanitiseStrictly } from "./sanitise.ts";
import type { Screen } from "./screen.ts";
import { shortPath } from "./short-path.ts";
import { cutToWidth, textWidth } from "./text-width.ts";

/** A question as it is shown. */
export interface ShownQuestion {
  /** What would run. */
  readonly text: string;
  /** The same with nothing left out; present when something is. */
  readonly whole?: string;
  /** The answers there are, on one line that stays open. */
  readonly choices: string;
  /** Their letters. */
  readonly letters: string;
}

export interface Asking {
  /** What is asked, in other words. */
  readonly asks?: string;
  /** The rule is shown once more before it is kept, so that its beginning is enough here. */
  readonly hasRuleLater?: boolean;
}

/** How many lines are shown before somebody asks for the rest. */
const maxLines = 60;

/** Shows exactly what would run: which executable, the whole command or change, and where a path really leads. */
export function renderQuestion(question: Question, places: Places, screen: Screen, asking: Asking = {}): ShownQuestion {
  const { style, signs } = screen;
  const { call, tool, reason, rule } = question;
  const args = parseObject(call.arguments);
  const change = args && tool.scope === "system" ? fileChange(tool.name, args, places.projectDir) : undefined;
  const facts = [
    ...(tool.scope === "system" ? [] : [`runs ${shortPath(tool.path, places)}`]),
    ...(leadsTo(question, places) ?? []),
    // The mode asks about everything; what makes this call special is worth a line.
    ...(rule === undefined ? [sanitiseLine(reason)] : []),
  ];
  const lines = change ? renderChange(change, screen) : wholeCall(question).split("\n");
  // What takes one line stands beside the name.
  const isOneLine = change === undefined && lines.length === 1;
  const subject = change ? changeSubject(change, screen) : isOneLine ? lines[0] : "";
  const title = `${style.cyan(signs.call)} ${callTitle(tool, screen)}  ${subject}`.trimEnd();
  const body = isOneLine ? [] : lines;
  const all = [...facts.map((fact) => style.yellow(fact)), ...body];
  const gap = (leftOut: number) => style.yellow(`${signs.cut} ${leftOut} lines are not shown: v shows them`);
  const shown = headAndTail(all, { head: maxLines - 10, tail: 10, gap });
  const isCut = shown.length < all.length;
  return {
    text: block(title, shown),
    ...(isCut && { whole: block(title, all) }),
    ...choices(rule, isCut, screen, asking),
  };
}

function block(title: string, lines: readonly string[]): string {
  return `${title}\n${lines.map((line) => `    ${line}\n`).join("")}`;
}

function changeSubject(change: FileChange, screen: Screen): string {
  return `${sanitiseStrictly(sanitiseLine(change.path))}  ${renderChangeSize(change, screen)}`;
}

/** All that the call says. A command that is all there is stands alone. */
function wholeCall(question: Question): string {
  const { arguments: text } = question.call;
  const command = isOnlyCommand(question) ? parseObject(text)?.command : undefined;
  return typeof command === "string" ? sanitiseStrictly(command) : describeWhole(text);
}

function isOnlyCommand({ call, tool }: Question): boolean {
  const args = parseObject(call.arguments) ?? {};
  return tool.name === "bash" && tool.scope === "system" && Object.keys(args).join() === "command";
}

/** Where the file really is, when the path does not say so itself. */
function leadsTo({ call, realPath }: Question, { projectDir }: Places): string[] | undefined {
  const args = parseObject(call.arguments);
  const path = args?.file_path ?? args?.path;
  if (realPath === undefined || typeof path !== "string") return undefined;
  return resolve(realPathOf(projectDir), path) === realPath ? undefined : [`leads to ${sanitiseLine(realPath)}`];
}

function choices(rule: string | undefined, isCut: boolean, screen: Screen, asking: Asking) {
  const { style, columns, signs } = screen;
  const { asks = "Run it?", hasRuleLater = false } = asking;
  const always = `r always: ${sanitiseStrictly(sanitiseLine(rule ?? ""))}`;
  const shownRule = hasRuleLater ? cutToWidth(always, columns - 2 - answerColumns, signs.cut) : always;
  const remember = rule === undefined ? [] : ["s this session", shownRule];
  const view = isCut ? ["v view all"] : [];
  const lines = layOut([asks, "y once", ...remember, "n no", "e no, and say why", ...view], columns);
  return {
    choices: lines.replace(asks, style.bold(asks)),
    letters: `y${rule === undefined ? "" : "sr"}ne${isCut ? "v" : ""}`,
  };
}

/** What stands behind the choices: a gap, and the letter that is typed. */
const answerColumns = 3;

/** Puts parts side by side, on as many lines as they need. What is typed stands behind the last one. */
function layOut(parts: readonly string[], columns: number): string {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = `${lines.at(-1) ?? ""}   ${part}`;
    if (lines.length > 0 && textWidth(longer) + answerColumns <= columns) lines[lines.length - 1] = longer;
    else lines.push(`  ${part}`);
  }
  return `${lines.join("\n")}  `;
}
