import { type Question, widerRules } from "@ikigai/agent/internal";
import { lettersWithView, questionAnswers, refusals } from "../../render/render-question.ts";
import type { AskedQuestion } from "../components/asked-question.ts";
import { askQuestion } from "./open-dialog.ts";
import type { Tui } from "./tui.ts";

/** The rule that "always" would add. Tab widens it, and after the widest begins again. */
export interface ProposedRules {
  readonly rule: string | undefined;
  readonly hasOthers: boolean;
  next(): void;
}

/** The rules for a question. */
export function proposedRules(question: Question): ProposedRules {
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
  /** How many questions in a row this is, from 1. */
  readonly number: number;
}

/** Asks for one of the valid letters; which are valid depends on what has been visible. */
export function chooseAnswer(
  tui: Tui,
  { question, asked, proposed, number }: AnswerWanted,
  signal: AbortSignal,
): Promise<string | undefined> {
  const current = () => {
    asked.opened();
    // With a draft, Tab belongs to that.
    const canChange = proposed.hasOthers && !asked.isPartial() && tui.editor.text() === "";
    const { rule: _, ...others } = question;
    const { rule } = proposed;
    const { waiting = [] } = question;
    const answers = questionAnswers({ ...others, waiting, ...(rule !== undefined && { rule }) }, asked.isPartial());
    return {
      // The question names the tool: several calls may be on the screen.
      title: `Run ${question.tool.name}?`,
      remark: [
        ...(canChange ? ["tab changes the rule"] : []),
        ...(number + waiting.length > 1 ? [`${number} of ${number + waiting.length}`] : []),
      ].join(` ${tui.session.screen.signs.dot} `),
      answers,
      letters: asked.isSeen() ? lettersWithView(answers) : refusals,
    };
  };
  const change = () => proposed.next();
  return askQuestion(tui, { current, refused: hinting(tui, asked), ...(proposed.hasOthers && { change }) }, signal);
}

/** Asks once about several calls, which are all shown. */
export function chooseForAll(
  tui: Tui,
  { count, asked }: { readonly count: number; readonly asked: AskedQuestion },
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
  return askQuestion(tui, { current, refused: hinting(tui, asked) }, signal);
}

/** Says why a letter is no answer yet. */
function hinting(tui: Tui, asked: AskedQuestion): () => void {
  return () => {
    if (asked.isPartial()) tui.showHint("Part of the call is not visible yet; v shows all of it.");
  };
}
