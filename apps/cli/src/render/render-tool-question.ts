import type { Places, ToolQuestion } from "@ikigai/agent/internal";
import { agentNames } from "./agent-names.ts";
import type { LineOutput } from "./line-output.ts";
import { factLine, layOutLines, type QuestionLine } from "./question-rows.ts";
import type { Choices } from "./render-question.ts";
import { sanitiseLine, sanitiseStrictly } from "./sanitise.ts";
import { shortPath } from "./short-path.ts";

/**
 * Shows a question of a tool, or of a tool of an agent: who asks, from which file, and the tool's words. Each of their rows begins with a bar, and they never
 * reach the margin, so that no tool can imitate a question of ikigai.
 */
export function renderToolQuestion(asked: ToolQuestion, places: Places, screen: LineOutput): string[] {
  const { tool, question } = asked;
  const { style, signs } = screen;
  const agent = agentNames(asked);
  const named = `${sanitiseLine(tool.name)} (${tool.scope})`;
  const head: QuestionLine = {
    margin: `${signs.call} `,
    marginLook: () => `${style.yellow(signs.call)} `,
    text: agent === undefined ? `The tool ${named} asks you:` : `The agent ${agent} asks you:`,
    look: style.bold,
  };
  const words = sanitiseStrictly(question.replaceAll("\r\n", "\n").trimEnd()).split("\n");
  const body = words.map((text) => ({ margin: "    | ", marginLook: style.yellow, text }));
  const path = factLine(
    `${agent === undefined ? "" : `its tool ${named} `}runs ${sanitiseLine(shortPath(tool.path, places))}`,
    style.dim,
  );
  return layOutLines([head, path, ...body], screen);
}

/** What the user can answer to a question that is not about text. `own`: the letter for words of their own, `none`: to give no answer. */
export const answerLetters = { own: "o", none: "x" } as const;

/** The answers to choose from. The options are numbered; "yes" and "no" have their letters. */
export function renderAnswers({ kind, options }: ToolQuestion, { style }: LineOutput): Choices {
  const none = `${answerLetters.none} no answer`;
  if (kind === "confirm") return { choices: `  y yes   n no   ${none}  `, letters: `yn${answerLetters.none}` };
  const rows = options.map((option, index) => `  ${style.bold(String(index + 1))} ${shownOption(option)}`);
  const numbers = options.map((_, index) => String(index + 1)).join("");
  return {
    choices: `${[...rows, `  ${answerLetters.own} something else   ${none}`].join("\n")}  `,
    letters: `${numbers}${answerLetters.own}${answerLetters.none}`,
  };
}

/** The answer that a letter stands for; `own` if the user wants to write it, `undefined` without one. */
export function answerOf({ kind, options }: ToolQuestion, letter: string | undefined): string | undefined {
  if (kind === "confirm") return letter === "y" ? "yes" : letter === "n" ? "no" : undefined;
  return options[Number(letter) - 1];
}

/** One line for the transcript: the question and the answer. */
export function renderAnswered(asked: ToolQuestion, answer: string | undefined): string {
  const { tool, question } = asked;
  const agent = agentNames(asked);
  const words = sanitiseStrictly(sanitiseLine(question.replace(/\s+/g, " ").trim()));
  const said = answer === undefined ? "no answer" : sanitiseLine(answer);
  return `${sanitiseLine(tool.name)}${agent === undefined ? "" : ` of the agent ${agent}`} asked: ${words} -> ${said}`;
}

/** Runs of spaces separate the choices on the screen. */
export function shownOption(option: string): string {
  return sanitiseStrictly(sanitiseLine(option)).replace(/ {2,}/g, " ").trim();
}
