import type { Answer, Ask } from "@ikigai/agent/internal";
import { renderChoices, renderQuestion, shortenQuestion } from "../render/render-question.ts";
import { sanitise } from "../render/sanitise.ts";
import type { Session } from "../session/session.ts";
import type { EventView } from "./event-view.ts";

/** Rows shown until the user asks for the rest. */
const maxRows = 60;

/** Asks whether a call may run, and shows exactly what would run. Anything but a clear yes denies it. */
export function askUser({ agent, screen, input }: Session, view: EventView): Ask {
  return async (question, signal) => {
    const rows = renderQuestion(question, agent.places, screen);
    const shown = shortenQuestion(rows, maxRows, screen);
    const print = (lines: readonly string[]) => screen.print(lines.map((line) => `${line}\n`).join(""));
    let isPartial = shown.length < rows.length;
    view.startBlock();
    view.hold();
    print(shown);
    let letter: string | undefined;
    do {
      if (letter === "v") {
        print(rows);
        isPartial = false;
      }
      const { choices, letters } = renderChoices(question, screen, { isPartial });
      screen.print(choices);
      letter = await input.choose(letters, signal);
    } while (letter === "v");
    const answer = await toAnswer(letter, signal);
    if (!question.agents) view.callShown(question.call.id);
    view.release();
    return answer;
  };

  async function toAnswer(letter: string | undefined, signal: AbortSignal): Promise<Answer> {
    switch (letter) {
      case "y":
        return { allow: true };
      case "s":
        return { allow: true, remember: "session" };
      case "r":
        return { allow: true, remember: "always" };
      case "e": {
        const words = await input.ask("  Why, or what instead? ", signal);
        return { allow: false, ...(words && { words }) };
      }
      default:
        return { allow: false };
    }
  }
}

/** Asks whether to send a message although a hook that may refuse it is broken. */
export function askToSend({ screen, input }: Session): (why: string, signal: AbortSignal) => Promise<boolean> {
  return async (why, signal) => {
    screen.startLine();
    screen.print(`${screen.style.yellow(sanitise(why))}\n`);
    screen.print(`  ${screen.style.bold("Send the message anyway?")}   y yes   n no  `);
    return (await input.choose("yn", signal)) === "y";
  };
}
