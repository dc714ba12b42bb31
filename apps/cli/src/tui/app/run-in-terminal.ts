import { recordTypedCall, type TypedCall } from "@ikigai/agent/internal";
import type { CallBlock } from "../components/call-block.ts";
import { type LentEnd, lendTerminal } from "../terminal/lend-terminal.ts";
import type { Tui } from "./tui.ts";

/** A user's command that gets the terminal. */
export interface InTerminal {
  readonly block: CallBlock;
  readonly command: string;
  /** The path of the shell that runs it. */
  readonly shell: string;
  readonly callId: string;
  readonly typed: TypedCall;
  /** Whether it stays out of the conversation. */
  readonly isApart: boolean;
}

/** A shell's exit code for a command that it cannot run. */
const shellError = 127;

/** Sent to the model instead of the output, which goes to the terminal. */
const notKept = "(This program ran in the user's terminal; its output was not captured.)";

/** Runs a command with the terminal: an editor, a pager, or any other after `!!`. What it prints stays above its block. */
export async function runInTerminal(tui: Tui, to: InTerminal): Promise<void> {
  const { block, command, shell, callId, typed, isApart } = to;
  const { exitCode = shellError, durationMs } = await runInForeground(tui, [command], { shell });
  const envelope = (output: string) => ({ tool_success: true, result: { output, exit_code: exitCode } }) as const;
  block.ended({ name: typed.name, envelope: envelope(""), durationMs, notes: [] });
  if (isApart) return;
  recordTypedCall(tui.session.agent.conversation, typed, callId, {
    json: JSON.stringify(envelope(notKept)),
    durationMs,
  });
  tui.addRecord({
    ...block.recorded(),
    result: { name: typed.name, envelope: envelope(notKept), durationMs, notes: [] },
  });
}

/** Runs a shell command in the project with the terminal. Closes an open viewer. */
export function runInForeground(
  tui: Tui,
  command: readonly [string, ...string[]],
  { shell, env = tui.session.agent.env }: { readonly shell?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<LentEnd> {
  const { places } = tui.session.agent;
  const { dialog } = tui;
  const begin = () => tui.viewer?.close();
  return lendTerminal(tui.surface, { ...(shell && { shell }), command, cwd: places.projectDir, env, begin }).finally(
    () => {
      // A key that was meant for the program does not answer a question that has opened meanwhile.
      if (tui.dialog !== dialog) tui.focus.toDraft();
    },
  );
}
