// Takes one message in line mode: a slash command, a shell command or a turn, with the questions that it asks.

import { randomUUID } from "node:crypto";
import { runTypedCall, takeTurn, withoutSecrets } from "@ikigai/agent/internal";
import { callTool, findTool } from "@ikigai/core";
import type { Answer, AnswerTool, Ask, Confirm, Question, ToolQuestion } from "@ikigai/permission";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { beforeExit, redact } from "@ikigai/system";
import { onInterrupt } from "../host/exit.ts";
import { endAdvice, failureText } from "../render/failures.ts";
import { answerWith, renderChoices, renderQuestion, shortenQuestion } from "../render/render-question.ts";
import {
  answerLetters,
  answerOf,
  isOfModel,
  renderAnswers,
  renderToolQuestion,
} from "../render/render-tool-question.ts";
import { imagesIn } from "../session/images-in.ts";
import { watchChanges } from "../session/only-reads.ts";
import { ownMessage, tellOnce } from "../session/own-commands.ts";
import type { Session } from "../session/session.ts";
import { awaitServers, reportLoadErrors } from "../session/session-start.ts";
import { asCommand, isSlashCommand } from "../session/slash-command.ts";
import { runSlashCommand } from "../session/slash-commands.ts";
import { typedArguments, typedCallOptions, typedCommand, wantsTerminal } from "../session/typed-call.ts";
import { EventView } from "./event-view.ts";

/** Lines printed of a visual: this mode has no key for the rest. */
const maxVisualLines = 250;

/** Runs what the user typed: a slash command, a shell command after `!`, or a message to the model. */
export async function takeMessage(typed: string, session: Session): Promise<void> {
  const message = asCommand(typed.trim());
  if (message === "") return;
  const isCommand = isSlashCommand(message);
  const own = isCommand ? await ownMessage(message, session.agent.places) : undefined;
  tellOnce(session, own?.notices ?? []);
  if (isCommand && own === undefined)
    try {
      await runSlashCommand(message, session, (run) => whileInterruptible(session, run));
    } catch (error) {
      session.screen.startLine();
      session.screen.print(`${session.screen.style.red(failureText(error))}\n`);
    }
  else
    await whileInterruptible(session, (signal) => {
      if (message.startsWith("!")) return runTypedCommand(message, session, signal);
      return answer(own?.text ?? message, message, session, signal);
    });
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
  await whileInterruptible(session, (signal) => answer(news.join("\n\n"), "", session, signal));
  screen.startLine();
  screen.print("\n");
}

/** Runs a turn with the model. `typed` is what the user typed: only its images are attached. */
async function answer(text: string, typed: string, session: Session, signal: AbortSignal): Promise<void> {
  const { agent, screen, input, model } = session;
  await awaitServers(session, signal);
  await reportLoadErrors(session);
  const { drawVisuals } = await import("../render/visual/draw-visuals.ts");
  const view = new EventView({
    screen,
    cwd: agent.places.projectDir,
    draw(visuals) {
      // Images are named only: a program may read what is printed in this mode.
      for (const line of drawVisuals(visuals, screen, { maxLines: maxVisualLines }))
        if (typeof line === "string") screen.print(`${line}\n`);
    },
    // The built-in interpreter's answer is what the tool printed.
    withOutput: !model.id.startsWith("offline/"),
    isEchoed: input.canAsk,
  });
  const { images, problems } = imagesIn(typed, agent.places.projectDir);
  for (const problem of problems) screen.print(screen.style.yellow(`${sanitise(problem)}\n`));
  const changes = watchChanges(agent.toolbox);
  const end = await takeTurn(
    agent,
    { text, images },
    {
      model,
      signal,
      drawsVisuals: true,
      emit(event) {
        changes.see(event);
        view.show(event);
      },
      ...(input.canAsk && {
        ask: askUser(session, view),
        answerTool: askForTool(session, view),
        confirm: confirm(session),
      }),
    },
  );
  screen.startLine();
  if (end.reason === "interrupted") screen.print(screen.style.yellow(`${await changes.interrupted()}\n`));
  session.hasFailed ||= end.error !== undefined;
  if (end.error) {
    const { code, message } = end.error;
    screen.print(`${screen.style.red(`${sanitise(message)}${endAdvice(code, "conversation")}`)}\n`);
  }
}

const noTerminal =
  "If this program needs the terminal: it gets it only on the full screen, without --plain. Ctrl-C stops it.\n";

/**
 * Runs the command that the user typed after `!` with the bash tool, without asking. The command and its result become part
 * of the conversation; after `!!` they do not.
 */
async function runTypedCommand(message: string, session: Session, signal: AbortSignal): Promise<void> {
  const { agent, screen } = session;
  const { command, isApart } = typedCommand(message);
  if (command === "") return screen.print("Missing command after !, for example: !git status\n");
  if (session.input.canAsk && wantsTerminal(command)) screen.print(noTerminal);
  const { places, conversation, secrets } = agent;
  const id = `typed-${randomUUID()}`;
  const registry = await agent.toolbox.current();
  await agent.commands.write();
  const typed = findTool(registry, "bash");
  const { canAsk: isEchoed } = session.input;
  const view = new EventView({ screen, cwd: places.projectDir, withOutput: true, isEchoed, ...(typed && { typed }) });
  const call = { name: "bash", arguments: JSON.stringify(typedArguments(command)) };
  const options = typedCallOptions(agent, { callId: id, tool: "bash", signal });
  const outcome = isApart
    ? await withoutSecrets(await callTool(registry, call.name, call.arguments, options), secrets)
    : await runTypedCall(conversation, call, registry, { ...options, secrets });
  view.show({ type: "tool_result", id, name: "bash", ...outcome });
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
    const rows = renderQuestion(question, agent.places, screen);
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
    const [rules] = question.offers ?? [];
    const offered = rules && { rules };
    switch (letter) {
      case "y":
        return { allow: true };
      case "s":
        return { allow: true, remember: "session", ...offered };
      case "r":
        return { allow: true, remember: "project", ...offered };
      case "g":
        return { allow: true, remember: "everywhere", ...offered };
      case "m":
        agent.permission.mode = "edits";
        return { allow: true };
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
  const rows = waiting.flatMap((other) => renderQuestion(other, agent.places, screen));
  screen.print(rows.map((line) => `${line}\n`).join(""));
  screen.print(`  ${screen.style.bold(`Run all ${waiting.length + 1}?`)}   y yes   d no, none   n ask about each  `);
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
