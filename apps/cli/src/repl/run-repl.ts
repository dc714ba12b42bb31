import { isatty } from "node:tty";
import type { SessionFlags } from "../argv.ts";
import { exitCodes } from "../exit-codes.ts";
import { chooseModel, openAgent, removeOverflow } from "../open-agent.ts";
import { printError } from "../print-out.ts";
import { sanitise } from "../screen/sanitise.ts";
import { createScreen } from "../screen/screen.ts";
import { terminalKind } from "../screen/terminal-kind.ts";
import { beforeExit } from "../shutdown.ts";
import { sandboxRefusal } from "../tool-rules.ts";
import { showFirstFrame } from "../tui/first-frame.ts";

/**
 * The REPL: the full screen on terminals that can show it; lines on others, for pipes and for those who want them. Returns
 * the exit code.
 *
 * @throws UsageError when a rule of the command line is none, or there is no such session.
 */
export async function runRepl(flags: SessionFlags): Promise<number> {
  const agent = openAgent(flags, process.env);
  const refusal = await sandboxRefusal(agent.rules, agent.places, agent.env);
  if (refusal !== undefined) return fail(refusal);
  const chosen = await chooseModel(agent, flags.model);
  if ("problem" in chosen) return fail(chosen.problem);
  beforeExit(() => removeOverflow(agent), { isLast: true });
  const kind = terminalKind(process.env, { isTerminal: isatty(0) && isatty(1) });
  const screen = createScreen(kind);
  if (kind.hasEscapes && !flags.isPlain) {
    const drawn = showFirstFrame(agent, chosen.model, screen);
    const { runTui } = await import("../tui/run-tui.ts");
    return runTui(agent, chosen.model, flags, drawn);
  }
  const { listForResume, runLines } = await import("./run-lines.ts");
  return flags.session === "pick" ? listForResume(agent) : runLines(agent, chosen.model, kind, screen);
}

function fail(problem: string): number {
  printError(`ikigai: ${sanitise(problem)}\n`);
  return exitCodes.failed;
}
