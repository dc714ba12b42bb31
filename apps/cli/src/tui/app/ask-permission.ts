import { type Answer, type Ask, type Question, whyStillAsked, widerRules } from "@ikigai/agent/internal";
import { lettersOf, questionAnswers, refusals, renderQuestion } from "../../render/render-question.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { type AskedQuestion, askedQuestion } from "../components/asked-question.ts";
import { addRule, askRule } from "./add-rule.ts";
import { askLine, askQuestion, viewQuestion } from "./open-dialog.ts";
import { say, type Tui } from "./tui.ts";
import type { TurnView } from "./turn-view.ts";
import { ring } from "./window.ts";

/** Asks whether a call may run. Its block shows exactly what would run; the choices are below. */
export function askPermission(tui: Tui, view: TurnView): Ask {
  return async (question, signal) => {
    const { screen, agent } = tui.session;
    const asked = askedQuestion({
      tool: question.tool,
      isOfAgent: question.agents !== undefined,
      arguments: question.call.arguments,
      screen,
      render: (look) => renderQuestion(question, agent.places, look),
      changed: () => tui.redraw(true),
    });
    const block = view.call(question.call.id);
    block?.asked(asked);
    ring(tui, `may ${sanitiseLine(question.tool.name)} run?`);
    const proposed = proposedRules(question);
    let letter: string | undefined;
    let answer: Answer | undefined;
    do {
      letter = await chooseAnswer(tui, { question, asked, proposed }, signal);
      if (letter === "v") viewQuestion(tui, asked);
      else answer = letter === "r" ? await keepRule(question, proposed.rule, signal) : await toAnswer(letter, signal);
    } while (answer === undefined);
    block?.asked(undefined);
    return answer;
  };

  /** Lets the user edit the rule before it is saved; undefined to return to the question. */
  async function keepRule(question: Question, initial = "", signal: AbortSignal): Promise<Answer | undefined> {
    const wanted = await askRule(tui, "Rule to save (* matches any text): ", { signal, initial, hint: ruleHint });
    if (signal.aborted) return { allow: false };
    if (wanted === undefined) return undefined;
    if (wanted === question.rule) return { allow: true, remember: "always" };
    const added = { verdict: "allow", rule: wanted } as const;
    await addRule(tui, added);
    const why = whyStillAsked(question, tui.session.agent.permission, added);
    if (why !== undefined) say(tui, tui.theme.style.yellow(sanitiseLine(why)));
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
        if (!signal.aborted) tui.work?.abort();
        return { allow: false };
      default:
        return { allow: false };
    }
  }
}

/** What a rule looks like, and the way back. */
const ruleHint =
  "A rule is TOOL or TOOL(PATTERN), e.g. bash or bash(npm test*). Enter saves it and runs the call, esc goes back.";

/** The rule that "always" would add. Tab widens it, and after the widest begins again. */
interface ProposedRules {
  readonly rule: string | undefined;
  readonly hasOthers: boolean;
  next(): void;
}

function proposedRules(question: Question): ProposedRules {
  const { rule } = question;
  const rules = rule === undefined ? [] : [rule, ...widerRules(question)];
  let index = 0;
  return {
    get rule() {
      return rules[index];
    },
    hasOthers: rules.length > 1,
    next() {
      index = (index + 1) % rules.length;
    },
  };
}

interface AnswerWanted {
  readonly question: Question;
  readonly asked: AskedQuestion;
  readonly proposed: ProposedRules;
}

/** Asks for one of the valid letters; which are valid depends on what has been visible. */
function chooseAnswer(
  tui: Tui,
  { question, asked, proposed }: AnswerWanted,
  signal: AbortSignal,
): Promise<string | undefined> {
  const current = () => {
    asked.opened();
    const { rule } = proposed;
    const answers = questionAnswers(rule === undefined ? {} : { rule }, asked.isPartial());
    const { waiting = 0 } = question;
    return {
      // The question names the tool: several calls may be on the screen.
      title: `Run ${question.tool.name}?`,
      remark: [
        ...(proposed.hasOthers && !asked.isPartial() ? ["tab changes the rule"] : []),
        ...(waiting > 0 ? [`${waiting} more ${waiting === 1 ? "call waits" : "calls wait"}`] : []),
      ].join(` ${tui.session.screen.signs.dot} `),
      answers,
      letters: asked.isSeen() ? lettersOf(answers) : refusals,
    };
  };
  const refused = () => {
    if (asked.isPartial()) tui.showHint("Part of the call is not visible yet; v shows all of it.");
  };
  const change = () => proposed.next();
  return askQuestion(tui, { current, refused, ...(proposed.hasOthers && { change }) }, signal);
}
