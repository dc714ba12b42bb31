// Asks whether a call may run, with the answers that the question has.

import type { AgentEvent } from "@ikigai/agent";
import { type Answer, type Ask, decide, type Question } from "@ikigai/permission";
import { sanitiseLine } from "@ikigai/screen";
import { placesOfCalls } from "../../host/places/find-places.ts";
import {
  answerFor,
  answerWith,
  commandOf,
  lettersWithView,
  questionAnswers,
  questionTitle,
  refusals,
  renderQuestion,
  runAllTitle,
} from "../../render/question/render-question.ts";
import { type AskedQuestion, askedQuestion } from "../components/asked-question.ts";
import type { CallBlock } from "../components/call-block.ts";
import { changePaint, loadRenderers } from "../components/renderers.ts";
import { lineHint, severalLines } from "./lend-terminal.ts";
import { askLine, askQuestion, viewQuestion } from "./open-dialog.ts";
import type { Tui } from "./tui.ts";
import type { TurnView } from "./turn-view.ts";
import { ring } from "./working.ts";

/** A question that is open. */
interface OpenQuestion {
  readonly tui: Tui;
  readonly question: Question;
  /** The block of its call; absent for a call of an agent. */
  readonly block: CallBlock | undefined;
  readonly signal: AbortSignal;
  /** The words about it that the user left unfinished, or typed behind a "no". */
  words: string;
}

/** The questions of a turn. */
interface Asking {
  readonly ask: Ask;
  /** Notes what happens to the calls that wait for a question: an answer may have decided them. */
  seen(event: AgentEvent): void;
}

/** Asks whether a call may run. Its block shows exactly what would run; the choices are below. */
export function askPermission(tui: Tui, view: TurnView): Asking {
  let number = 0;
  /** The IDs of the calls that waited behind the last question. */
  let behind: readonly string[] = [];
  const undecided = new Set<string>();
  const seen = (event: AgentEvent) => {
    if (event.type !== "tool_start" && event.type !== "tool_result") return;
    if (undecided.delete(event.id) && undecided.size === 0) tui.focus.release("question");
  };
  const ask: Ask = async (question, signal) => {
    tui.focus.asks();
    number = behind.includes(question.call.id) ? number + 1 : 1;
    // It may show a change, which cannot be drawn twice.
    if (question.realPath !== undefined) await loadRenderers().catch(() => {});
    const asked = questionRows(tui, question);
    const block = view.call(question.call.id);
    const proposed = proposedRules(question);
    ring(tui, question.host === undefined ? `may ${sanitiseLine(question.tool.name)} run?` : questionTitle(question));
    const open: OpenQuestion = { tui, question, block, signal, words: "" };
    const outdated = new AbortController();
    const given = AbortSignal.any([signal, outdated.signal]);
    const modeChanged = () => {
      if (isDecidedNow(tui, question)) outdated.abort();
    };
    let answer: Answer | undefined;
    do {
      block?.asked(asked);
      const because = (words: string) => {
        open.words = words;
      };
      const letter = await chooseAnswer(tui, { question, asked, proposed, number, because, modeChanged }, given);
      if (outdated.signal.aborted && !signal.aborted) answer = { allow: false, isOutdated: true };
      else if (letter === "v") viewQuestion(tui, asked);
      else answer = await toAnswer(open, letter, proposed.rules);
    } while (answer === undefined);
    block?.asked(undefined);
    behind = (question.waiting ?? []).map(({ call }) => call.id);
    undecided.clear();
    for (const id of behind) undecided.add(id);
    if (undecided.size === 0) tui.focus.release("question");
    return answer;
  };
  return { ask, seen };
}

/** Whether the mode decides about the call by now. One of an agent is limited by more than the mode. */
function isDecidedNow({ session }: Tui, { call, tool, host, agents, mustAsk }: Question): boolean {
  if (host !== undefined || agents !== undefined || mustAsk) return false;
  return decide(call, tool, session.agent.permission).verdict !== "ask";
}

/** What would run: the call, and others of the same step. */
function questionRows(tui: Tui, question: Question, others: readonly Question[] = []): AskedQuestion {
  const { screen, agent } = tui.session;
  const { tool, agents, call, host } = question;
  return askedQuestion({
    tool,
    isOfAgent: agents !== undefined,
    // A call that wants to reach a host has begun.
    arguments: host === undefined ? call.arguments : undefined,
    screen,
    screenRows: () => tui.surface.rows,
    render: (look) =>
      [question, ...others].flatMap((one) => renderQuestion(one, placesOfCalls(agent), look, changePaint(tui.theme))),
    changed: () => tui.redraw(true),
  });
}

/** Undefined to return to the question. */
async function toAnswer(
  open: OpenQuestion,
  letter: string | undefined,
  rules: readonly string[],
): Promise<Answer | undefined> {
  const { tui, signal } = open;
  if (letter === "m") tui.session.agent.permission.mode = "edits";
  const answer = answerFor(letter, rules);
  if (answer) return answer;
  switch (letter) {
    case "t":
      return changeCommand(open);
    case "a":
      return answerAll(open);
    case "e": {
      const lines = severalLines(tui, "words.md");
      const left = (text: string) => {
        open.words = text;
      };
      const words = await askLine(tui, "  Why, or what instead? ", { signal, kind, lines, initial: open.words, left });
      return words === undefined && !signal.aborted ? undefined : { allow: false, ...(words && { words }) };
    }
    case undefined:
      // Esc stops the turn, as it does while the model works: calls still to be asked about stop as well.
      if (!signal.aborted) tui.work?.abort();
      return { allow: false };
    default:
      return { allow: false, ...(open.words !== "" && { words: open.words }) };
  }
}

/** The dialogs of a question belong to it. */
const kind = "question";

/** Lets the user change the command before it runs. */
async function changeCommand({ tui, question, signal }: OpenQuestion): Promise<Answer | undefined> {
  const initial = commandOf(question) ?? "";
  const lines = severalLines(tui, "command.sh");
  const hint = lineHint(tui, "Enter runs the edited command and tells the model", "esc goes back");
  const command = await askLine(tui, "Command: ", { signal, kind, initial, hint, lines });
  return signal.aborted ? { allow: false } : answerWith(question, command);
}

/** Shows the waiting calls, too, and asks once about all of them. */
async function answerAll({ tui, question, block, signal }: OpenQuestion): Promise<Answer | undefined> {
  const { waiting = [] } = question;
  const asked = questionRows(tui, question, waiting);
  block?.asked(asked);
  let letter: string | undefined;
  do {
    letter = await chooseForAll(tui, { count: waiting.length + 1, asked, question }, signal);
    if (letter === "v") viewQuestion(tui, asked);
  } while (letter === "v");
  const others = waiting.map(({ call }) => call.id);
  if (letter === "y") return { allow: true, others };
  if (letter === "d") return { allow: false, others };
  return signal.aborted ? { allow: false } : undefined;
}

/** The rules that s, r and g would add. Tab changes them, and after the last begins again. */
interface ProposedRules {
  readonly rules: readonly string[];
  readonly hasOthers: boolean;
  next(): void;
}

/** The rules for a question. */
function proposedRules({ rule, offers = rule === undefined ? [] : [[rule]] }: Question): ProposedRules {
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
  readonly modeChanged: () => void;
}

/** Those that save a rule, change the mode or the command: "stop" is not `s`. */
const marking = "srgmt";

/** Asks for one of the valid letters; which are valid depends on what has been visible. */
function chooseAnswer(
  tui: Tui,
  { question, asked, proposed, number, because, modeChanged }: AnswerWanted,
  signal: AbortSignal,
): Promise<string | undefined> {
  const current = () => {
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
  return askQuestion(tui, { asker, current, marking, because, modeChanged, ...hints(tui, asked), ...change }, signal);
}

/** Asks once about several calls, which are all shown. */
function chooseForAll(
  tui: Tui,
  { count, asked, question }: { readonly count: number; readonly asked: AskedQuestion; readonly question: Question },
  signal: AbortSignal,
): Promise<string | undefined> {
  const current = () => {
    const yes = asked.isPartial() ? { letter: "v", text: "view all, then answer" } : { letter: "y", text: "yes, once" };
    const no = [
      { letter: "d", text: count === 2 ? "no, neither" : `no, none of the ${count}` },
      { letter: "n", text: "ask about each" },
    ];
    const answers = [yes, ...no];
    const letters = lettersWithView(asked.isSeen() ? answers : no);
    return { title: runAllTitle(count), remark: "", answers, letters };
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
    drawn: () => asked.opened(),
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
