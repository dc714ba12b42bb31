// The conversation in line mode, from the header to the last note. The folder: run-lines ← take-message (one message, its questions) ←
// event-view (what is printed); line-input reads the lines.

import type { Model } from "@ikigai/models";
import { textStart } from "@ikigai/protocol";
import { sanitise, sanitiseLine, type TerminalKind } from "@ikigai/screen";
import { asTyped, type Conversation, listSessions, sessionProblems, userTurns } from "@ikigai/session";
import { beforeExit } from "@ikigai/system";
import type { Agent } from "../host/conversation/agent-from-flags.ts";
import { noSessions } from "../host/conversation/conversation-from-flags.ts";
import { exitCodes } from "../host/terminal/exit.ts";
import { printError, printOut } from "../host/terminal/stdout.ts";
import type { LineOutput } from "../render/line-output.ts";
import { renderHeader, resumeNote, startNotices } from "../render/render-header.ts";
import { age } from "../render/short-forms.ts";
import {
  awaitServers,
  checkModeAuto,
  offerTrust,
  openSession,
  reportLoadErrors,
  type Session,
} from "../session/session.ts";
import { openLineInput } from "./line-input.ts";
import { takeJobNews, takeMessage } from "./take-message.ts";

interface LinesOptions {
  readonly kind: TerminalKind;
  readonly screen: LineOutput;
  /** The first message; may be empty. */
  readonly message: string;
}

/** The REPL in line mode: for piped output, dumb terminals and users who prefer it. Returns the exit code. */
export async function runLines(agent: Agent, model: Model, { kind, screen, message }: LinesOptions): Promise<number> {
  screen.print(renderHeader(model, startNotices(agent), agent.places, screen));
  const input = openLineInput(screen, kind);
  beforeExit(() => input.close());
  const session = openSession({ agent, screen, input }, model);
  const resumed = kind.isTerminal ? resumedNote(agent.conversation) : undefined;
  if (resumed !== undefined) screen.print(screen.style.dim(`${resumed}\n`));
  if (input.canAsk) await offerTrust(session);
  void model.prepare?.();
  void awaitServers(session);
  void agent.toolbox.current().then((registry) => reportLoadErrors(session, registry));
  void checkModeAuto(session);
  if (message !== "") await takeFirst(message, kind, session);
  await converse(session);
  const note = resumeNote(agent.conversation);
  // The prompt is still open after Ctrl-C or Ctrl-D.
  if (kind.isTerminal) screen.startLine();
  const { workLeft } = await import("../session/work-left.ts");
  for (const line of await workLeft(agent)) printError(`${sanitise(line)}\n`);
  if (kind.isTerminal && note !== undefined) screen.print(screen.style.dim(`${note}\n`));
  // A script needs the exit code; a user has seen the error.
  return session.hasFailed && !kind.isTerminal ? exitCodes.failed : exitCodes.done;
}

const maxListed = 20;

/**
 * Lists the sessions for a `--resume` without ID in line mode, which has no picker. Returns the exit code.
 *
 * @throws AgentError if no session was started in this directory, or it cannot be read.
 */
export function listForResume({ places }: Agent): number {
  const sessions = listSessions(places.home, places.projectDir).slice(0, maxListed);
  if (sessions.length === 0) throw noSessions(places.home);
  for (const { id, title, changedAt } of sessions) printOut(`${id}  ${age(changedAt)}  ${sanitiseLine(title)}\n`);
  for (const problem of sessionProblems(places.home)) printError(`${sanitise(problem)}\n`);
  printError("ikigai: Missing session ID: pass one of the above as --resume ID, or use --continue for the latest.\n");
  return exitCodes.usage;
}

/** Takes the message from the command line, shown as if it had been typed. */
async function takeFirst(message: string, { isTerminal }: TerminalKind, session: Session): Promise<void> {
  const { style, signs, print } = session.screen;
  if (isTerminal) print(`${style.bold(`${signs.prompt} `)}${sanitise(message)}\n`);
  await takeMessage(message, session);
}

/** Takes messages until the input ends. The end of a job starts a turn before the next message, unless the user does not want that. */
async function converse(session: Session): Promise<void> {
  const { jobs, config } = session.agent;
  let news = new AbortController();
  if (config.jobs?.wake !== false) jobs.whenNews(() => news.abort());
  while (!session.isOver) {
    if (news.signal.aborted) {
      news = new AbortController();
      await takeJobNews(session);
    }
    const message = await session.input.read(news.signal);
    if (message !== undefined) await takeMessage(message, session);
    else if (!news.signal.aborted) return;
  }
}

/** How much of the first message is shown, in characters. */
const maxTitleLength = 60;

/** Which conversation is resumed; undefined if it has no messages yet, or its session cannot be read. */
function resumedNote(conversation: Conversation): string | undefined {
  if (conversation.messages.length === 0) return undefined;
  try {
    const turns = userTurns(conversation);
    const [first] = turns;
    if (!first) return undefined;
    const text = sanitiseLine(asTyped(first).replace(/\s+/g, " ").trim());
    const title = text.length > maxTitleLength ? `${textStart(text, maxTitleLength)}…` : text;
    return `Resumed: ${title} (${turns.length} message${turns.length === 1 ? "" : "s"})`;
  } catch {
    return undefined;
  }
}
