import type { Answer, Ask } from "@ikigai/agent";
import { renderQuestion } from "../screen/render-question.ts";
import type { EventView } from "./event-view.ts";
import type { Session } from "./session.ts";

/** Asks whether a call may run, and shows exactly what would. Whatever is no clear yes is a no. */
export function askUser({ agent, screen, input }: Session, view: EventView): Ask {
  return async (question, signal) => {
    const { text, whole, choices, letters } = renderQuestion(question, agent.places, screen);
    view.startBlock();
    view.hold();
    screen.print(text);
    let letter: string | undefined;
    do {
      if (letter === "v") screen.print(whole ?? text);
      screen.print(choices);
      letter = await input.choose(letters, signal);
    } while (letter === "v");
    const answer = await toAnswer(letter, signal);
    view.callShown(question.call.id);
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
