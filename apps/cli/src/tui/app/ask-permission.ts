import {
  type Answer,
  type Ask,
  expectedMessage,
  type PermissionRule,
  parseRule,
  type Question,
} from "@ikigai/agent/internal";
import { refusals, renderChoices } from "../../render/render-question.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { type AskedQuestion, askedQuestion } from "../components/asked-question.ts";
import { askLine, chooseFrom, openViewer } from "./open-dialog.ts";
import { say, type Tui } from "./tui.ts";
import type { TurnView } from "./turn-view.ts";
import { ring } from "./window.ts";

/** Asks whether a call may run. Its block shows exactly what would run; the choices are below. */
export function askPermission(tui: Tui, view: TurnView): Ask {
  return async (question, signal) => {
    const { screen, agent } = tui.session;
    const asked = askedQuestion(question, agent.places, screen, () => tui.redraw(true));
    const block = view.call(question.call.id);
    block?.asked(asked);
    ring(tui);
    let letter: string | undefined;
    let answer: Answer | undefined;
    do {
      letter = await chooseAnswer(tui, asked, signal);
      if (letter === "v") {
        openViewer(tui, {
          title: question.tool.name,
          closeHint: "q goes back to the question",
          render: (columns) => asked.rows(columns),
          endShown: () => asked.viewed(),
        });
      } else answer = letter === "r" ? await keepRule(question, signal) : await toAnswer(letter, signal);
    } while (answer === undefined);
    block?.asked(undefined);
    return answer;
  };

  /** Lets the user edit the rule before it is saved; undefined to return to the question. */
  async function keepRule({ rule = "" }: Question, signal: AbortSignal): Promise<Answer | undefined> {
    const text = await askLine(tui, "Rule to save (* matches any text): ", { signal, initial: rule, hint: ruleHint });
    const wanted = text?.trim() ?? "";
    if (signal.aborted) return { allow: false };
    if (wanted === rule) return { allow: true, remember: "always" };
    if (!parseRule(wanted)) {
      if (wanted !== "") say(tui, `Expected TOOL or TOOL(PATTERN), got ${sanitiseLine(wanted)}.`);
      return undefined;
    }
    await addRule(tui, { verdict: "allow", rule: wanted });
    return { allow: true };
  }

  /** Undefined to return to the question. */
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
        // Esc stops the turn, as it does while the model works: calls still to be asked about stop as well.
        tui.work?.abort();
        return { allow: false };
      default:
        return { allow: false };
    }
  }
}

/** What a rule looks like, and the way back. */
const ruleHint =
  "A rule is TOOL or TOOL(PATTERN), e.g. bash or bash(npm test*). Enter saves it and runs the call, esc goes back.";

/** Asks for one of the valid letters; which are valid depends on what has been visible. */
function chooseAnswer(tui: Tui, asked: AskedQuestion, signal: AbortSignal): Promise<string | undefined> {
  // The question names the tool: several calls may be on the screen.
  const asks = `Run ${asked.question.tool.name}?`;
  const current = () => {
    asked.opened();
    const asking = { asks, hasRuleLater: true, isPartial: asked.isPartial() };
    const { choices, letters } = renderChoices(asked.question, tui.session.screen, asking);
    return { choices, letters: asked.isSeen() ? letters : refusals };
  };
  const refused = () => {
    if (asked.isPartial()) tui.showHint("Part of the call is not visible yet; v shows all of it.");
  };
  return chooseFrom(tui, current, { signal, isSudden: true, refused });
}

/** Adds a rule before all others, and saves it. */
export function addRule(tui: Tui, rule: PermissionRule): Promise<void> {
  const { permission, places } = tui.session.agent;
  permission.rules.unshift(rule);
  return keeping(tui, async () => (await import("@ikigai/agent/setup")).saveRule(places.home, rule));
}

/** Saves a change; if that fails, it applies to this session only. */
export async function keeping(tui: Tui, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    say(tui, tui.theme.style.yellow(`Applies to this session only: ${sanitiseLine(expectedMessage(error))}`));
  }
}
