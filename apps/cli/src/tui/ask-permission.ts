import { type Answer, type Ask, parseRule, type Question } from "@ikigai/agent";
import { renderQuestion } from "../screen/render-question.ts";
import { sanitiseLine } from "../screen/sanitise.ts";
import { addRule } from "./commands/add-rule.ts";
import { askLine } from "./dialogs/ask-line.ts";
import { chooseLetter } from "./dialogs/choose-letter.ts";
import { openViewer } from "./dialogs/viewer.ts";
import { say } from "./say.ts";
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
    let answer: Answer | undefined;
    do {
      // Several calls may be on the screen.
      const asks = `Run ${question.tool.name}?`;
      const { choices, letters } = renderQuestion(question, agent.places, screen, { asks, hasRuleLater: true });
      letter = await chooseLetter(tui, choices.trimEnd(), `${letters}v`, {
        signal,
        isSudden: true,
      });
      if (letter === "v") openViewer(tui, { title: question.tool.name, render: () => whole.split("\n") });
      else answer = letter === "r" ? await keepRule(question, signal) : await toAnswer(letter, signal);
    } while (answer === undefined);
    block?.asked(undefined);
    redraw(tui);
    return answer;
  };

  /** Lets the user widen the rule that is kept; undefined when they would rather answer otherwise. */
  async function keepRule({ rule = "" }: Question, signal: AbortSignal): Promise<Answer | undefined> {
    const text = await askLine(tui, "Rule to keep, * is any text: ", { signal, initial: rule });
    const wanted = text?.trim() ?? "";
    if (signal.aborted) return { allow: false };
    if (wanted === rule) return { allow: true, remember: "always" };
    if (!parseRule(wanted)) {
      if (wanted !== "") say(tui, `Expected TOOL or TOOL(PATTERN), got ${sanitiseLine(wanted)}.`);
      return undefined;
    }
    addRule(tui, { verdict: "allow", rule: wanted });
    return { allow: true };
  }

  /** Undefined when the user would rather answer otherwise. */
  async function toAnswer(letter: string | undefined, signal: AbortSignal): Promise<Answer | undefined> {
    switch (letter) {
      case "y":
        return { allow: true };
      case "s":
        return { allow: true, remember: "session" };
      case "e": {
        const words = await askLine(tui, "  Why, or what instead? ", { signal });
        return words === undefined && !signal.aborted ? undefined : { allow: false, ...(words && { words }) };
      }
      case undefined:
        // Esc means here what it means while the model works: the calls that are still to be asked about stop as well.
        tui.work?.controller.abort();
        return { allow: false };
      default:
        return { allow: false };
    }
  }
}
