import type { Question } from "@ikigai/agent/internal";
import { lettersWithView, questionAnswers, questionTitle, refusals } from "../../render/render-question.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import type { AskedQuestion } from "../components/asked-question.ts";
import { askQuestion } from "./open-dialog.ts";
import type { Tui } from "./tui.ts";

/** The rules that s, r and g would add. Tab changes them, and after the last begins again. */
export interface ProposedRules {
  readonly rules: readonly string[];
  readonly hasOthers: boolean;
  next(): void;
}

/** The rules for a question. */
export function proposedRules({ rule, offers = rule === undefined ? [] : [[rule]] }: Question): ProposedRules {
  let index = 0;
  return {
    get rules() {
      return offers[index] ?? [];
    },
    hasOthers: offers.length > 1,
    next() {
      index = (index + 1) % offers.length;
    },
  };
}

interface AnswerWanted {
  readonly question: Question;
  readonly asked: AskedQuestion;
  readonly proposed: ProposedRules;
  /** How many questions in a row this is, from 1. */
  readonly number: number;
  /** Called with the reason behind a "no". */
  readonly because: (words: string) => void;
}

/** Asks for one of the valid letters; which are valid depends on what has been visible. */
export function chooseAnswer(
  tui: Tui,
  { question, asked, proposed, number, because }: AnswerWanted,
  signal: AbortSignal,
): Promise<string | undefined> {
  const current = () => {
    asked.opened();
    const canChange = proposed.hasOthers && !asked.isPartial();
    const { waiting = [] } = question;
    const answers = questionAnswers(question, asked.isPartial(), proposed.rules);
    return {
      // The question names the tool: several calls may be on the screen.
      title: questionTitle(question),
      remark: [
        ...(canChange ? ["tab changes the rule"] : []),
        ...(number + waiting.length > 1 ? [`${number} of ${number + waiting.length}`] : []),
      ].join(` ${tui.session.screen.signs.dot} `),
      answers,
      letters: asked.isSeen() ? lettersWithView(answers) : refusals,
    };
  };
  const change = proposed.hasOthers && { change: () => proposed.next() };
  const asker = askerOf(question);
  return askQuestion(tui, { asker, current, because, ...hints(tui, asked), ...change }, signal);
}

/** Asks once about several calls, which are all shown. */
export function chooseForAll(
  tui: Tui,
  { count, asked, question }: { readonly count: number; readonly asked: AskedQuestion; readonly question: Question },
  signal: AbortSignal,
): Promise<string | undefined> {
  const current = () => {
    asked.opened();
    const yes = asked.isPartial() ? { letter: "v", text: "view all, then answer" } : { letter: "y", text: "yes, once" };
    const no = [
      { letter: "d", text: `no, none of the ${count}` },
      { letter: "n", text: "ask about each" },
    ];
    const answers = [yes, ...no];
    const letters = lettersWithView(asked.isSeen() ? answers : no);
    return { title: `Run all ${count}?`, remark: "", answers, letters };
  };
  return askQuestion(tui, { asker: askerOf(question), current, ...hints(tui, asked) }, signal);
}

/** Who waits for the answer. */
function askerOf({ tool }: Question): string {
  return sanitiseLine(tool.name);
}

/** Says why a letter is no answer yet, and what to do about a text that is not an answer. */
function hints(tui: Tui, asked: AskedQuestion) {
  return {
    refused() {
      const isPartial = asked.isPartial();
      if (isPartial) tui.showHint("Part of the call is not visible yet; v shows all of it.");
      return isPartial;
    },
    marked: () => tui.showHint("enter takes the marked answer"),
    unknown: () =>
      tui.showHint("Answer with yes, no, or no and a reason. esc deletes this text, shift-tab leaves the question."),
  };
}
