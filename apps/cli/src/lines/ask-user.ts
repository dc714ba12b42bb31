import type { Answer, Ask, Confirm, Question } from "@ikigai/agent/internal";
import { answerWith, renderChoices, renderQuestion, shortenQuestion } from "../render/render-question.ts";
import { sanitise } from "../render/sanitise.ts";
import type { Session } from "../session/session.ts";
import type { EventView } from "./event-view.ts";

/** Rows shown until the user asks for the rest. */
const maxRows = 60;

/** Asks whether a call may run, and shows exactly what would run. Anything but a clear yes denies it. */
export function askUser(session: Session, view: EventView): Ask {
  const { agent, screen, input } = session;
  return async (question, signal) => {
    const rows = renderQuestion(question, agent.places, screen);
    const shown = shortenQuestion(rows, maxRows, screen);
    const print = (lines: readonly string[]) => screen.print(lines.map((line) => `${line}\n`).join(""));
    let isPartial = shown.length < rows.length;
    view.startBlock();
    view.hold();
    print(shown);
    let answer: Answer | undefined;
    do {
      const { choices, letters } = renderChoices(question, screen, { isPartial });
      screen.print(choices);
      let words = "";
      const letter = await input.choose(letters, signal, (reason) => {
        words = reason;
      });
      if (letter === "v") {
        print(rows);
        isPartial = false;
        continue;
      }
      answer = await toAnswer(question, letter, { signal, words });
      // Other calls may be above it now.
      if (answer === undefined) print(isPartial ? shown : rows);
    } while (answer === undefined);
    if (!question.agents) view.callShown(question.call.id);
    view.release();
    return answer;
  };

  /** Undefined to return to the question. */
  async function toAnswer(
    question: Question,
    letter: string | undefined,
    { signal, words: reason }: { readonly signal: AbortSignal; readonly words: string },
  ): Promise<Answer | undefined> {
    const [rules] = question.offers ?? [];
    const offered = rules && { rules };
    switch (letter) {
      case "y":
        return { allow: true };
      case "s":
        return { allow: true, remember: "session", ...offered };
      case "r":
        return { allow: true, remember: "project", ...offered };
      case "g":
        return { allow: true, remember: "everywhere", ...offered };
      case "m":
        agent.permission.mode = "edits";
        return { allow: true };
      case "t":
        return answerWith(question, await input.ask("  Command to run instead: ", signal));
      case "a":
        return answerAll(session, question.waiting ?? [], signal);
      case "e": {
        const words = await input.ask("  Why, or what instead? ", signal);
        return { allow: false, ...(words && { words }) };
      }
      default:
        return { allow: false, ...(reason !== "" && { words: reason }) };
    }
  }
}

/** Shows the waiting calls, too, and asks once about all of them. */
async function answerAll(
  { agent, screen, input }: Session,
  waiting: readonly Question[],
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const rows = waiting.flatMap((other) => renderQuestion(other, agent.places, screen));
  screen.print(rows.map((line) => `${line}\n`).join(""));
  screen.print(`  ${screen.style.bold(`Run all ${waiting.length + 1}?`)}   y yes   d no, none   n ask about each  `);
  const letter = await input.choose("ydn", signal);
  const others = waiting.map(({ call }) => call.id);
  return letter === "y" || letter === "d" ? { allow: letter === "y", others } : undefined;
}

/** Asks a question of two answers. */
export function confirm({ screen, input }: Session): Confirm {
  return async ({ why, question, yes, no }, signal) => {
    screen.startLine();
    screen.print(`${screen.style.yellow(sanitise(why))}\n`);
    screen.print(`  ${screen.style.bold(question)}   y ${yes}   n ${no}  `);
    const letter = await input.choose("yn", signal);
    return letter === undefined ? undefined : letter === "y";
  };
}
