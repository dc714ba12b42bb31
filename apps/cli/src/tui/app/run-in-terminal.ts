import { recordTypedCall, type TypedCall } from "@ikigai/agent/internal";
import type { CallBlock } from "../components/call-block.ts";
import { type LentEnd, lendTerminal } from "../terminal/lend-terminal.ts";
import type { Tui } from "./tui.ts";

/** A command of the user's that gets the terminal. */
export interface InTerminal {
  readonly block: CallBlock;
  readonly command: string;
  readonly callId: string;
  readonly typed: TypedCall;
  /** The model is told nothing of it. */
  readonly isApart: boolean;
}

/** What a shell exits with when it cannot run a command. */
const shellError = 127;

/** What the model reads in place of the output, which only the user has seen. */
const notKept = "(This program had the user's terminal; its output was not kept.)";

/** Runs an editor, a pager or whatever else wants a terminal, and shows how it ended. */
export async function runInTerminal(tui: Tui, { block, command, callId, typed, isApart }: InTerminal): Promise<void> {
  const { conversation } = tui.session.agent;
  const { exitCode = shellError, durationMs } = await runInForeground(tui, [command]);
  const answer = { output: notKept, exit_code: exitCode };
  const json = JSON.stringify({ tool_success: true, result: answer });
  if (!isApart) recordTypedCall(conversation, typed, callId, { json, durationMs });
  // The user was there: how it ended is enough.
  const shown = { tool_success: true, result: { output: "", exit_code: exitCode } } as const;
  block.ended({ name: typed.name, envelope: shown, durationMs, notes: [] });
}

/** Runs a shell command that gets the terminal, in the project. A viewer that is open closes. */
export function runInForeground(tui: Tui, command: readonly [string, ...string[]]): Promise<LentEnd> {
  const { env, places } = tui.session.agent;
  return lendTerminal(tui.surface, { command, cwd: places.projectDir, env, begin: () => tui.viewer?.close() });
}
