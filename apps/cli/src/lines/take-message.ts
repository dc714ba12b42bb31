import { takeTurn } from "@ikigai/agent/internal";
import { sanitise } from "../render/sanitise.ts";
import { imagesIn } from "../session/images-in.ts";
import { reportLoadErrors } from "../session/report-load-errors.ts";
import { isSlashCommand, runSlashCommand } from "../session/run-slash-command.ts";
import type { Session } from "../session/session.ts";
import { asCommand } from "../session/slash-command.ts";
import { askUser } from "./ask-user.ts";
import { EventView } from "./event-view.ts";
import { runTypedCommand } from "./run-typed-command.ts";
import { whileInterruptible } from "./while-interruptible.ts";

/** Does what the user typed: a slash command, a shell command behind `!`, or a message to the model. */
export async function takeMessage(typed: string, session: Session): Promise<void> {
  const message = asCommand(typed.trim());
  if (message === "") return;
  if (isSlashCommand(message)) await runSlashCommand(message, session);
  else
    await whileInterruptible(session, (signal) => {
      if (message.startsWith("!")) return runTypedCommand(message.slice(1).trim(), session, signal);
      return answer(message, session, signal);
    });
  session.screen.startLine();
  session.screen.print("\n");
}

async function answer(message: string, session: Session, signal: AbortSignal): Promise<void> {
  const { agent, screen, input, model } = session;
  await reportLoadErrors(session);
  const view = new EventView({
    screen,
    cwd: agent.places.projectDir,
    // The built-in interpreter's answer is what the tool printed.
    withOutput: !model.id.startsWith("offline/"),
    isEchoed: input.canAsk,
  });
  const { images, problems } = imagesIn(message, agent.places.projectDir);
  for (const problem of problems) screen.print(screen.style.yellow(`${sanitise(problem)}\n`));
  const end = await takeTurn(
    agent,
    { text: message, images },
    {
      model,
      signal,
      emit: (event) => view.show(event),
      ...(input.canAsk && { ask: askUser(session, view) }),
    },
  );
  screen.startLine();
  if (end.reason === "interrupted") screen.print(screen.style.yellow("Interrupted. What was done so far is kept.\n"));
  session.hasFailed ||= end.error !== undefined;
  if (end.error) screen.print(`${screen.style.red(sanitise(end.error.message))}\n`);
}
