import type { Answer, Ask } from "@ikigai/agent";
import { renderQuestion } from "../screen/render-question.ts";
import { askLine } from "./dialogs/ask-line.ts";
import { chooseLetter } from "./dialogs/choose-letter.ts";
import { openViewer } from "./dialogs/viewer.ts";
import type { TurnView } from "./show-event.ts";
import { ring } from "./signals.ts";
import { redraw, type Tui } from "./tui.ts";

/** Asks whether a call may run. Its block shows exactly what would, and the choices stand below. */
export function askPermission(tui: Tui, view: TurnView): Ask {
  return async (question, signal) => {
    const { screen, agent } = tui.session;
    const { text, whole = text } = renderQuestion(question, agent.places, screen);
    const block = view.call(question.call.id);
    block?.asked(question);
    ring(tui);
    redraw(tui);
    let letter: string | undefined;
    do {
      const { choices, letters } = renderQuestion(question, agent.places, screen);
      letter = await chooseLetter(tui, named(choices.trimEnd(), question.tool.name), `${letters}v`, signal);
      if (letter === "v") openViewer(tui, { title: question.tool.name, render: () => whole.split("\n") });
    } while (letter === "v");
    const answer = await toAnswer(letter, signal);
    block?.asked(undefined);
    redraw(tui);
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
        const words = await askLine(tui, "  Why, or what instead? ", { signal });
        return { allow: false, ...(words && { words }) };
      }
      default:
        return { allow: false };
    }
  }
}

/** Several calls may be on the screen, so the question says which one it is about. */
function named(choices: string, name: string): string {
  return choices.replace("Run it?", `Run ${name}?`);
}
