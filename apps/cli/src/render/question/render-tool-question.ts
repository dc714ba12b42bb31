// A question that a tool asks, the answers to choose from, and what remains of it in the transcript.

import type { Places } from "@ikigai/agent/internal";
import type { ToolQuestion } from "@ikigai/permission";
import { sanitiseLine, sanitiseStrictly } from "@ikigai/screen";
import { questionWords, withoutMarkdown } from "../call/render-brief.ts";
import type { LineOutput } from "../line-output.ts";
import { shortPath } from "../short-forms.ts";
import { factLine, layOutLines, type QuestionLine } from "./question-rows.ts";
import { agentNames, type Choices, lettersOf, type QuestionAnswer } from "./render-question.ts";

const bar = "    | ";

/**
 * Shows a question of a tool, or of a tool of an agent: who asks, from which file, and the tool's words. Each of their rows begins with
 * a bar, and they never reach the margin, so that no tool can imitate a question of ikigai. A question of the model has no such head.
 */
export function renderToolQuestion(asked: ToolQuestion, places: Places, screen: LineOutput): string[] {
  const { tool, question } = asked;
  const { style, signs } = screen;
  const agent = agentNames(asked);
  if (isOfModel(asked)) return renderModelQuestion(asked, screen);
  const named = `${sanitiseLine(tool.name)} (${tool.scope})`;
  const head: QuestionLine = {
    margin: `${signs.call} `,
    marginLook: () => `${style.yellow(signs.call)} `,
    text: agent === undefined ? `The tool ${named} asks you:` : `The agent ${agent} asks you:`,
    look: style.bold,
  };
  const words = sanitiseStrictly(question.replaceAll("\r\n", "\n").trimEnd()).split("\n");
  const body = words.map((text) => ({ margin: bar, continued: bar, marginLook: style.yellow, text }));
  const path = factLine(
    `${agent === undefined ? "" : `its tool ${named} `}runs ${shortPath(tool.path, places)}`,
    style.dim,
  );
  return layOutLines([head, path, ...body], screen);
}

/** Whether the words are the model's: a tool that comes with ikigai passes them on as they are. */
export function isOfModel({ tool }: Pick<ToolQuestion, "tool">): boolean {
  return tool.scope === "system";
}

/** The model's own question, in bold and without Markdown's marks. The name of the tool comes before it. */
function renderModelQuestion(asked: ToolQuestion, screen: LineOutput): string[] {
  const { style, signs } = screen;
  const agent = agentNames(asked);
  // Some languages have spaces of their own, and nothing runs.
  const plain = asked.question
    .replaceAll("\r\n", "\n")
    .trim()
    .replace(/\p{Zs}/gu, " ");
  const words = sanitiseStrictly(withoutMarkdown(plain)).split("\n");
  const [first = "", ...others] = agent === undefined ? words : [`The agent ${agent} asks you:`, ...words];
  const head: QuestionLine = {
    margin: `${signs.call} `,
    marginLook: () => `${style.yellow(signs.call)} `,
    text: agent === undefined ? `${sanitiseLine(asked.tool.name)}  ${first}` : first,
    look: style.bold,
    continued: "",
  };
  const rest = others.map((text) => ({ margin: "    ", continued: "", text, look: style.bold }));
  return layOutLines([head, ...rest], screen);
}

/** What the user can answer to a question that is not about text. `own`: the letter for words of their own, `none`: to give no answer. */
export const answerLetters = { own: "o", none: "x" } as const;

/** Ends a question without an answer. */
export const noAnswer = { letter: answerLetters.none, text: "no answer" };

/** The answers to choose from. The options are numbered; "yes" and "no" have their letters. */
export function renderAnswers(asked: ToolQuestion, screen: LineOutput): Choices {
  const answers = toolAnswers(asked);
  const numbered = answers.slice(0, asked.options.length).map(({ letter, text }) => ({
    margin: `  ${letter} `,
    marginLook: () => `  ${screen.style.bold(letter)} `,
    text,
    // A tool's words are laid out as a command is.
    continued: isOfModel(asked) ? "" : "    ",
  }));
  const others = answers.slice(asked.options.length).map(({ letter, text }) => `${letter} ${text}`);
  const rows = [...layOutLines(numbered, screen), `  ${others.join("   ")}`];
  return { choices: `${rows.join("\n")}  `, letters: lettersOf(answers) };
}

/** The answers to choose from, one by one. */
export function toolAnswers(asked: ToolQuestion): readonly QuestionAnswer[] {
  if (asked.kind === "confirm") return [{ letter: "y", text: "yes" }, { letter: "n", text: "no" }, noAnswer];
  const words = (option: string) => shownOption(isOfModel(asked) ? withoutMarkdown(option) : option);
  const numbered = asked.options.map((option, index) => ({ letter: String(index + 1), text: words(option) }));
  return [...numbered, { letter: answerLetters.own, text: "something else" }, noAnswer];
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
  const words = isOfModel(asked)
    ? questionWords(question)
    : sanitiseStrictly(sanitiseLine(question.replace(/\s+/g, " ").trim()));
  const said = answer === undefined ? "no answer" : sanitiseLine(answer);
  return `${sanitiseLine(tool.name)}${agent === undefined ? "" : ` of the agent ${agent}`} asked: ${words} -> ${said}`;
}

/** Runs of spaces separate the choices on the screen. */
export function shownOption(option: string): string {
  return sanitiseStrictly(sanitiseLine(option)).replace(/ {2,}/g, " ").trim();
}
