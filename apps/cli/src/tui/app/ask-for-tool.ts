// Puts a tool's question to the user, in the block of its call: its title, its answers, and the user's own words.

import type { AnswerTool, ToolQuestion } from "@ikigai/permission";
import { sanitiseLine } from "@ikigai/screen";
import { lettersOf } from "../../render/question/render-question.ts";
import {
  answerLetters,
  answerOf,
  isOfModel,
  noAnswer,
  renderAnswered,
  renderToolQuestion,
  toolAnswers,
} from "../../render/question/render-tool-question.ts";
import { type AskedQuestion, askedQuestion } from "../components/asked-question.ts";
import { lineHint, severalLines } from "./lend-terminal.ts";
import { askLine, askQuestion, viewQuestion } from "./open-dialog.ts";
import { say, type Tui } from "./tui.ts";
import type { TurnView } from "./turn-view.ts";
import { ring } from "./working.ts";

/** Puts a tool's question to the user, in the block of its call. Esc refuses to answer; the turn continues. */
export function askForTool(tui: Tui, view: TurnView): AnswerTool {
  return async (question, signal) => {
    const { screen, agent } = tui.session;
    const asked = askedQuestion({
      tool: question.tool,
      isOfAgent: question.agents !== undefined,
      arguments: undefined,
      screen,
      screenRows: () => tui.surface.rows,
      render: (look) => renderToolQuestion(question, agent.places, look),
      changed: () => tui.redraw(true),
    });
    const block = view.call(question.callId);
    tui.focus.asks();
    block?.asked(asked);
    ring(tui, `${sanitiseLine(question.tool.name)} asks`);
    const answer = await answerTo(tui, { question, asked, signal });
    block?.asked(undefined);
    tui.focus.release("question");
    if (signal.aborted) return undefined;
    // The call of the model's own question shows its answer.
    if (!isOfModel(question) || question.agents) say(tui, tui.theme.style.dim(renderAnswered(question, answer)));
    return answer === undefined ? { refused: true } : { answer };
  };
}

/** Rows of a question for text that are always visible. */
const maxRows = 5;

interface Asking {
  readonly question: ToolQuestion;
  readonly asked: AskedQuestion;
  readonly signal: AbortSignal;
}

/** Undefined if the user does not want to answer. */
async function answerTo(tui: Tui, asking: Asking): Promise<string | undefined> {
  const { question, asked, signal } = asking;
  // A long question may not fit: it is shown first, and answered when the user has seen all of it.
  while (question.kind !== "text" || asked.rows(tui.session.screen.columns).length > maxRows) {
    const letter = await chooseAnswer(tui, asking);
    if (letter === "v") viewQuestion(tui, asked);
    else if (letter === answerLetters.own) {
      const own = await ownWords(tui, asking);
      if (own !== undefined || signal.aborted) return own;
    } else if (letter !== "w") return answerOf(question, letter);
    else return ownWords(tui, asking);
  }
  return ownWords(tui, asking, true);
}

async function ownWords(tui: Tui, { question, signal }: Asking, isFirst = false): Promise<string | undefined> {
  const esc = isFirst ? "gives no answer" : "goes back";
  const hint = lineHint(tui, `Enter answers${isOfModel(question) ? "" : " the tool"}`, `esc ${esc}`);
  const lines = severalLines(tui, "answer.md");
  const text = await askLine(tui, `  ${titleOf(question)}: `, {
    signal,
    kind: "question",
    hint,
    asker: askerOf(question),
    lines,
  });
  return text?.trim() ? text : undefined;
}

/** The title of the dialog. It names a tool that did not come with ikigai. */
function titleOf(question: ToolQuestion): string {
  return isOfModel(question) ? "Your answer" : `Answer to ${sanitiseLine(question.tool.name)}`;
}

/** Who waits for the answer. */
function askerOf(question: ToolQuestion): string {
  return isOfModel(question) ? "The model" : sanitiseLine(question.tool.name);
}

/** Asks for one of the letters that are valid by now. */
function chooseAnswer(tui: Tui, { question, asked, signal }: Asking): Promise<string | undefined> {
  const current = () => {
    const isPartial = asked.isPartial();
    const answers = isPartial
      ? [{ letter: "v", text: "view all, then answer" }, noAnswer]
      : question.kind === "text"
        ? [{ letter: "w", text: "write the answer" }, noAnswer]
        : toolAnswers(question);
    const canAnswer = isPartial || question.kind === "text" || asked.isSeen();
    return {
      title: titleOf(question),
      remark: "",
      answers,
      isWhole: true,
      letters: canAnswer ? lettersOf(answers) : noAnswer.letter,
    };
  };
  const refused = (letter: string) => {
    if (asked.isPartial()) {
      tui.showHint("Part of the question is not visible yet; v shows all of it.");
      return true;
    }
    if (!current().answers.some((answer) => answer.letter === letter)) tui.showHint(keysOf(question));
    return false;
  };
  const unknown = () => tui.showHint(keysOf(question));
  const drawn = () => asked.opened();
  return askQuestion(tui, { asker: askerOf(question), current, drawn, refused, unknown }, signal);
}

/** Which keys answer, for a user who types the answer itself. */
function keysOf({ kind, options }: ToolQuestion): string {
  if (kind === "confirm") return `y and n answer; ${answerLetters.none} gives no answer.`;
  if (kind === "text") return "w lets you write the answer.";
  const numbers = options.length > 1 ? `1 to ${options.length} choose` : "1 chooses";
  return `${numbers} an answer; ${answerLetters.own} lets you write another one.`;
}
