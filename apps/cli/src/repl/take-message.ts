import type { Ask } from "@ikigai/agent";
import { renderFailure } from "@ikigai/core";
import { untrustedNotice } from "../screen/render-trust.ts";
import { sanitiseLine } from "../screen/sanitise.ts";
import { createEventView } from "./event-view.ts";
import { runSlashCommand } from "./run-slash-command.ts";
import { runTypedCommand } from "./run-typed-command.ts";
import type { Session } from "./session.ts";

/** Does what the user typed: a slash command, a shell command behind `!`, or a message to the model. */
export async function takeMessage(typed: string, session: Session, ask: Ask | undefined): Promise<"quit" | "done"> {
  const message = typed.trim();
  if (message === "") return "done";
  if (message.startsWith("/")) return runSlashCommand(message, session);
  if (message.startsWith("!")) {
    await whileInterruptible(session, (signal) => runTypedCommand(message.slice(1).trim(), session, signal));
    return "done";
  }
  await tellOfFailures(session);
  const { agent, screen, asides } = session;
  const text = [...asides.splice(0), message].join("\n\n");
  const view = createEventView(screen);
  const end = await whileInterruptible(session, (signal) =>
    agent.say(text, { signal, emit: view.show, ...(ask && { ask }) }),
  );
  screen.startLine();
  if (end.reason === "interrupted")
    screen.print(screen.style.yellow("Stopped. What came is kept; go on when you like.\n"));
  else if (end.error) screen.print(`${screen.style.red(sanitiseLine(end.error.message))}\n`);
  screen.print("\n");
  return "done";
}

/** Runs something that Ctrl-C stops. */
async function whileInterruptible<Result>(
  session: Session,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  session.interrupt = () => controller.abort();
  try {
    return await run(controller.signal);
  } finally {
    session.interrupt = undefined;
  }
}

/** Waits for the tools, and says once of each what is wrong with it. */
async function tellOfFailures({ agent, screen, seenFailures }: Session): Promise<void> {
  const { failed } = await agent.toolbox.current();
  const news = failed.filter(({ path, reason }) => !seenFailures.has(`${path}\n${reason}`));
  for (const { path, reason } of news) seenFailures.add(`${path}\n${reason}`);
  for (const failure of news) {
    if (failure.reason !== "untrusted") screen.print(screen.style.dim(`${sanitiseLine(renderFailure(failure))}\n`));
  }
  const untrusted = news.filter(({ reason }) => reason === "untrusted").map(({ name }) => name);
  screen.print(screen.style.yellow(untrustedNotice(untrusted)));
}
