// Takes one message in line mode: a slash command, a shell command or a turn, with the questions that it asks.

import type { RegisteredTool } from "@ikigai/core";
import type { Answer, AnswerTool, Ask, Confirm, Question, ToolQuestion } from "@ikigai/permission";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { beforeExit, redact } from "@ikigai/system";
import { placesOfCalls } from "../host/places/find-places.ts";
import { onInterrupt } from "../host/terminal/exit.ts";
import { failureText } from "../render/failures.ts";
import {
  answerFor,
  answerWith,
  layOut,
  renderChoices,
  renderQuestion,
  runAllTitle,
  shortenQuestion,
} from "../render/question/render-question.ts";
import {
  answerLetters,
  answerOf,
  isOfModel,
  renderAnswers,
  renderToolQuestion,
} from "../render/question/render-tool-question.ts";
import { asCommand } from "../session/commands/find-command.ts";
import { ownMessage, tellOnce } from "../session/commands/own-commands.ts";
import { runSlashCommand } from "../session/commands/slash-commands.ts";
import { awaitTools, type Session } from "../session/session.ts";
import {
  type CommandFace,
  carryOut,
  isPlan,
  keepPlanning,
  leavePlan,
  planTitle,
  planYes,
  type ShellFace,
  sendMessage,
  takeInput,
  wantsTerminal,
} from "../session/take-input.ts";
import { EventView } from "./event-view.ts";

/** Lines printed of a visual: this mode has no key for the rest. */
const maxVisualLines = 250;

/** Runs what the user typed. */
export async function takeMessage(typed: string, session: Session): Promise<void> {
  const message = asCommand(typed.trim());
  if (message === "") return;
  await takeInput(message, lineFace(session));
  session.screen.startLine();
  session.screen.print("\n");
}

/** Runs a turn about jobs that have ended, unless a turn has told the model of them meanwhile. */
export async function takeJobNews(session: Session): Promise<void> {
  const { agent, screen } = session;
  const news = agent.jobs.takeNews(agent.conversation.id).map((text) => redact(text, agent.secrets));
  if (news.length === 0) return;
  screen.startLine();
  for (const text of news) screen.print(screen.style.dim(`${sanitiseLine(text.split("\n", 1)[0] ?? "")}\n`));
  await sendMessage({ text: news.join("\n\n") }, lineFace(session));
  screen.startLine();
  screen.print("\n");
}

/** Line mode as a face of the conversation. */
function lineFace(session: Session): CommandFace {
  const { agent, screen, input } = session;
  let isPlanned = false;
  const face: CommandFace = {
    agent,
    get model() {
      return session.model;
    },
    async work(_, run) {
      isPlanned = false;
      const result = await whileInterruptible(session, run);
      const words = isPlanned ? await acceptPlan(session) : undefined;
      if (words !== undefined) await sendMessage({ text: words, typed: words }, face);
      return result;
    },
    ready: (signal) => awaitTools(session, signal),
    warn: (text) => screen.print(screen.style.yellow(`${text}\n`)),
    command: (text) => runCommand(text, session),
    shell: ({ command }) => shellFace(command, session),
    async begin() {
      const view = await viewOf(session);
      return {
        drawsVisuals: true,
        emit: (event) => view.show(event),
        ...(input.canAsk && {
          ask: askUser(session, view),
          answerTool: askForTool(session, view),
          confirm: confirm(session),
        }),
      };
    },
    async ended(end, words) {
      const { error } = end;
      screen.startLine();
      session.hasFailed ||= error !== undefined;
      isPlanned = input.canAsk && isPlan(end, agent);
      const text = await words();
      if (text !== undefined) screen.print(`${(error ? screen.style.red : screen.style.yellow)(text)}\n`);
    },
  };
  return face;
}

/** Asks what to do with the model's plan. Returns the next message to the model. */
async function acceptPlan({ agent, screen, input }: Session): Promise<string | undefined> {
  const { y, a } = planYes(agent);
  const choices = layOut([planTitle, `y ${y}`, `a ${a}`, `n ${keepPlanning}`], screen);
  screen.print(choices.replace(planTitle, screen.style.bold(planTitle)));
  let wanted: string | undefined;
  const letter = await input.choose("yan", new AbortController().signal, (words) => {
    wanted = words;
  });
  if (letter !== "y" && letter !== "a") return wanted;
  leavePlan(agent, letter);
  return carryOut;
}

/** Runs a command of ikigai; returns what one of the user sends. */
async function runCommand(message: string, session: Session): Promise<string | undefined> {
  const { screen } = session;
  const own = await ownMessage(message, session.agent.places);
  tellOnce(session, own?.notices ?? []);
  if (own) return own.text;
  try {
    await runSlashCommand(message, session, (run) => whileInterruptible(session, run));
  } catch (error) {
    screen.startLine();
    screen.print(`${screen.style.red(failureText(error))}\n`);
  }
  return undefined;
}

async function viewOf({ agent, screen, input, model }: Session): Promise<EventView> {
  const { drawVisuals } = await import("../render/call/draw-visuals.ts");
  return new EventView({
    screen,
    cwd: placesOfCalls(agent).projectDir,
    draw(visuals) {
      // Images are named only: a program may read what is printed in this mode.
      for (const line of drawVisuals(visuals, screen, { maxLines: maxVisualLines }))
        if (typeof line === "string") screen.print(`${line}\n`);
    },
    // The built-in interpreter's answer is what the tool printed.
    withOutput: !model.id.startsWith("offline/"),
    isEchoed: input.canAsk,
  });
}

const noTerminal =
  "If this program needs the terminal: it gets it only on the full screen, without --plain. Ctrl-C stops it.\n";

/** Shows a command after `!`: what it prints, and its result. */
function shellFace(command: string, { agent, screen, input }: Session): ShellFace {
  if (input.canAsk && wantsTerminal(command)) screen.print(noTerminal);
  let typed: RegisteredTool | undefined;
  return {
    started(tool) {
      typed = tool;
      return false;
    },
    ended(result) {
      const [cwd, isEchoed] = [placesOfCalls(agent).projectDir, input.canAsk];
      new EventView({ screen, cwd, withOutput: true, isEchoed, ...(typed && { typed }) }).show(result);
    },
  };
}

/** Runs work that Ctrl-C stops, and that stops before the process exits. */
async function whileInterruptible<Result>(
  { input, screen }: Session,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const work = run(controller.signal);
  const leave = beforeExit(() => {
    controller.abort();
    return work;
  });
  const interrupt = () => {
    // The terminal has echoed ^C.
    if (!controller.signal.aborted) screen.print("\n");
    controller.abort();
  };
  // With piped input there is no next message to type: Ctrl-C ends ikigai.
  const resume = input.canAsk ? onInterrupt(interrupt) : () => {};
  try {
    return await work;
  } finally {
    resume();
    leave();
  }
}

/** Puts a tool's question to the user. An empty answer, or none of the choices, refuses it. */
function askForTool({ agent, screen, input }: Session, view: EventView): AnswerTool {
  return async (question, signal) => {
    view.startBlock();
    view.hold();
    screen.print(
      renderToolQuestion(question, agent.places, screen)
        .map((row) => `${row}\n`)
        .join(""),
    );
    const answer = await answerTo(question, signal);
    view.release();
    if (signal.aborted) return undefined;
    return answer === undefined ? { refused: true } : { answer };
  };

  async function answerTo(question: ToolQuestion, signal: AbortSignal): Promise<string | undefined> {
    if (question.kind === "text") return ownWords(question, signal);
    const { choices, letters } = renderAnswers(question, screen);
    screen.print(choices);
    const letter = await input.choose(letters, signal);
    return letter === answerLetters.own ? ownWords(question, signal) : answerOf(question, letter);
  }

  async function ownWords(question: ToolQuestion, signal: AbortSignal): Promise<string | undefined> {
    const title = isOfModel(question) ? "Your answer" : `Answer to ${sanitiseLine(question.tool.name)}`;
    const text = await input.ask(`  ${title} (an empty line gives none): `, signal);
    return text?.trim() ? text : undefined;
  }
}

/** Rows shown until the user asks for the rest. */
const maxRows = 60;

/** Asks whether a call may run, and shows exactly what would run. Anything but a clear yes denies it. */
export function askUser(session: Session, view: EventView): Ask {
  const { agent, screen, input } = session;
  return async (question, signal) => {
    const rows = renderQuestion(question, placesOfCalls(agent), screen);
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
    if (letter === "m") agent.permission.mode = "edits";
    const answer = answerFor(letter, question.offers?.[0]);
    if (answer) return answer;
    switch (letter) {
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
  const rows = waiting.flatMap((other) => renderQuestion(other, placesOfCalls(agent), screen));
  screen.print(rows.map((line) => `${line}\n`).join(""));
  screen.print(`  ${screen.style.bold(runAllTitle(waiting.length + 1))}   y yes   d no, none   n ask about each  `);
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
