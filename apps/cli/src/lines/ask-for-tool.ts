import type { AnswerTool, ToolQuestion } from "@ikigai/agent/internal";
import {
  answerLetters,
  answerOf,
  isOfModel,
  renderAnswers,
  renderToolQuestion,
} from "../render/render-tool-question.ts";
import { sanitiseLine } from "../render/sanitise.ts";
import type { Session } from "../session/session.ts";
import type { EventView } from "./event-view.ts";

/** Puts a tool's question to the user. An empty answer, or none of the choices, refuses it. */
export function askForTool({ agent, screen, input }: Session, view: EventView): AnswerTool {
  return async (question, signal) => {
    view.startBlock();
    view.hold();
    screen.print(
      renderToolQuestion(question, agent.places, screen)
        .map((row) => `${row}\n`)
        .join(""),
    );
    const answer = await answerTo(question, signal);
    view.release();
    if (signal.aborted) return undefined;
    return answer === undefined ? { refused: true } : { answer };
  };

  async function answerTo(question: ToolQuestion, signal: AbortSignal): Promise<string | undefined> {
    if (question.kind === "text") return ownWords(question, signal);
    const { choices, letters } = renderAnswers(question, screen);
    screen.print(choices);
    const letter = await input.choose(letters, signal);
    return letter === answerLetters.own ? ownWords(question, signal) : answerOf(question, letter);
  }

  async function ownWords(question: ToolQuestion, signal: AbortSignal): Promise<string | undefined> {
    const title = isOfModel(question) ? "Your answer" : `Answer to ${sanitiseLine(question.tool.name)}`;
    const text = await input.ask(`  ${title} (an empty line gives none): `, signal);
    return text?.trim() ? text : undefined;
  }
}
