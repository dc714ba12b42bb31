import { randomUUID } from "node:crypto";
import { type AnswerTool, runTypedCall, type ToolQuestion, takeTurn, withoutSecrets } from "@ikigai/agent/internal";
import { callTool, findTool } from "@ikigai/core";
import { beforeExit } from "@ikigai/system";
import { onInterrupt } from "../host/exit.ts";
import { endAdvice, failureText } from "../render/failures.ts";
import {
  answerLetters,
  answerOf,
  isOfModel,
  renderAnswers,
  renderToolQuestion,
} from "../render/render-tool-question.ts";
import { sanitise, sanitiseLine } from "../render/sanitise.ts";
import { imagesIn } from "../session/images-in.ts";
import { watchChanges } from "../session/only-reads.ts";
import { ownMessage, tellOnce } from "../session/own-commands.ts";
import type { Session } from "../session/session.ts";
import { awaitServers, reportLoadErrors } from "../session/session-start.ts";
import { asCommand, isSlashCommand } from "../session/slash-command.ts";
import { runSlashCommand } from "../session/slash-commands.ts";
import { typedArguments, typedCallOptions, typedCommand, wantsTerminal } from "../session/typed-call.ts";
import { askUser, confirm } from "./ask-user.ts";
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
