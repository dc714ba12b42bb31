import type { Options } from "../argv.ts";
import { exitCodes } from "../exit-codes.ts";
import { openAgent } from "../open-agent.ts";
import { OutputClosed, printError } from "../print-out.ts";
import { chooseStyle } from "../screen/style.ts";
import { workingDirectory } from "../working-directory.ts";
import { askOnTerminal } from "./ask-on-terminal.ts";
import { endOnSignals } from "./end-on-signals.ts";
import { type Input, openInput } from "./input.ts";
import { offerTrust } from "./offer-trust.ts";
import { renderHeader } from "./render-header.ts";
import { createScreen, type Screen } from "./screen.ts";
import type { Session } from "./session.ts";
import { takeMessage } from "./take-message.ts";

/** The line-oriented REPL: for terminals, dumb ones too, and for pipes. Returns the exit code. */
export async function runRepl(options: Options): Promise<number> {
  const projectDir = workingDirectory();
  if (projectDir === undefined) return exitCodes.failed;
  const agent = await openAgent({ options, projectDir, env: process.env });
  if (agent === undefined) return exitCodes.failed;
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const style = chooseStyle(isTerminal, process.env);
  const screen = createScreen(style, process.env);
  const input = openInput(isTerminal, style);
  const session: Session = { agent, screen, input, isTerminal, env: process.env, seenFailures: new Set(), asides: [] };
  const watch = endOnSignals(session);
  try {
    screen.print(renderHeader(agent, style, process.env));
    if (isTerminal) await offerTrust(session);
    await converse(session, screen, input);
    return watch.exitCode ?? exitCodes.done;
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
    if (error.exitCode !== exitCodes.brokenPipe) printError(`${error.message}\n`);
    return watch.exitCode ?? error.exitCode;
  } finally {
    watch.stop();
    input.close();
    agent.close();
  }
}

/** One message after the other, until there are no more. */
async function converse(session: Session, screen: Screen, input: Input): Promise<void> {
  for (;;) {
    screen.startLine();
    const message = await input.read();
    if (message === undefined) return;
    const outcome = await takeMessage(message, session, session.isTerminal ? askOnTerminal(session) : undefined);
    if (outcome === "quit") return;
  }
}
