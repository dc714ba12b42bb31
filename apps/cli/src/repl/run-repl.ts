import { isatty } from "node:tty";
import { listSessions, type Model } from "@ikigai/agent";
import type { SessionFlags } from "../argv.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Agent, chooseModel, openAgent, removeOverflow } from "../open-agent.ts";
import { printError, printOut } from "../print-out.ts";
import { age } from "../screen/age.ts";
import { renderHeader } from "../screen/render-header.ts";
import { sanitise, sanitiseLine } from "../screen/sanitise.ts";
import { createScreen, type Screen } from "../screen/screen.ts";
import { type TerminalKind, terminalKind } from "../screen/terminal-kind.ts";
import { beforeExit } from "../shutdown.ts";
import { sandboxRefusal } from "../tool-rules.ts";
import type { Input } from "./input.ts";
import { openLineInput } from "./line-input.ts";
import { offerTrust } from "./offer-trust.ts";
import { completeSlashCommand } from "./run-slash-command.ts";
import type { Session } from "./session.ts";
import { takeMessage } from "./take-message.ts";
import { tellOfFailures } from "./tell-of-failures.ts";
import { openTerminalInput } from "./terminal-input.ts";

/**
 * The REPL: the full screen on terminals that can show it; lines on others, for pipes and for those who want them. Returns
 * the exit code.
 *
 * @throws UsageError when a rule of the command line is none.
 */
export async function runRepl(flags: SessionFlags): Promise<number> {
  const agent = openAgent(flags, process.env);
  const refusal = await sandboxRefusal(agent.rules, agent.places, agent.env);
  if (refusal !== undefined) {
    printError(`ikigai: ${sanitise(refusal)}\n`);
    return exitCodes.failed;
  }
  const kind = terminalKind(process.env, { isTerminal: isatty(0) && isatty(1) });
  const chosen = await chooseModel(agent, flags.model);
  if ("problem" in chosen) {
    printError(`ikigai: ${sanitise(chosen.problem)}\n`);
    return exitCodes.failed;
  }
  beforeExit(() => removeOverflow(agent), { isLast: true });
  if (kind.hasEscapes && !flags.isPlain) {
    const { runTui } = await import("../tui/run-tui.ts");
    return runTui(agent, chosen.model, flags);
  }
  if (flags.session === "pick") return listForResume(agent);
  return runLines(agent, chosen.model, kind);
}

async function runLines(agent: Agent, model: Model, kind: TerminalKind): Promise<number> {
  const screen = createScreen(kind);
  screen.print(renderHeader(model, agent.notices, agent.places, screen));
  const input = openInput(kind, screen);
  beforeExit(() => input.close());
  const session: Session = { agent, screen, input, model, isOver: false, told: new Set() };
  if (input.canAsk) await offerTrust(session);
  void tellOfFailures(session);
  await converse(session);
  return exitCodes.done;
}

/** Where nobody can choose with arrows, the user names the session. */
function listForResume({ places }: Agent): number {
  const sessions = listSessions(places.home, places.projectDir).slice(0, maxListed);
  for (const { id, title, changedAt } of sessions) printOut(`${id}  ${age(changedAt)}  ${sanitiseLine(title)}\n`);
  printError("ikigai: Expected --resume ID here, for instance one of these. --continue goes on with the last one.\n");
  return exitCodes.usage;
}

function openInput(kind: TerminalKind, screen: Screen): Input {
  return kind.hasEscapes ? openTerminalInput(screen, completeSlashCommand) : openLineInput(screen, kind);
}

const maxListed = 20;

/** One message after the other, until there are no more. */
async function converse(session: Session): Promise<void> {
  while (!session.isOver) {
    const message = await session.input.read();
    if (message === undefined) return;
    await takeMessage(message, session);
  }
}
