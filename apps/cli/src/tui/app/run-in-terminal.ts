import { recordTypedCall, type TypedCall } from "@ikigai/agent/internal";
import { redact } from "@ikigai/system";
import type { CallBlock } from "../components/call-block.ts";
import { type LentEnd, lendTerminal } from "../terminal/lend-terminal.ts";
import type { Recording, RecordingPlace } from "../terminal/record-screen.ts";
import type { Tui } from "./tui.ts";

/** A user's command that gets the terminal. */
export interface InTerminal {
  readonly block: CallBlock;
  readonly command: string;
  readonly callId: string;
  readonly typed: TypedCall;
  /** Whether it stays out of the conversation. */
  readonly isApart: boolean;
}

/** A shell's exit code for a command that it cannot run. */
const shellError = 127;

/** Sent to the model instead of the output of a program that left nothing on the terminal, or where it cannot be recorded. */
const notKept = "(This program ran in the user's terminal; its output was not captured.)";

/** Runs an editor, a pager or another interactive program. Its last screen is its output. */
export async function runInTerminal(tui: Tui, { block, command, callId, typed, isApart }: InTerminal): Promise<void> {
  const { conversation, env, places, overflowDir, secrets } = tui.session.agent;
  const recording = isApart ? undefined : await recordingOf(command, { env, ...places, directory: overflowDir });
  const end = await runInForeground(tui, recording?.command ?? [command], recording?.env);
  const { exitCode = shellError, durationMs } = end;
  const { printed = "", full = "" } = recording?.take(tui.surface) ?? {};
  const result = (output: string) => ({ output: redact(output, secrets), exit_code: exitCode });
  const kept = { tool_success: true, result: result([printed, full].filter(Boolean).join("\n") || notKept) } as const;
  if (!isApart) recordTypedCall(conversation, typed, callId, { json: JSON.stringify(kept), durationMs });
  // What it printed is still above; a full screen is gone.
  const shown = { tool_success: true, result: result(full) } as const;
  block.ended({ name: typed.name, envelope: shown, durationMs, notes: [] });
  if (!isApart)
    tui.addRecord({ ...block.recorded(), result: { name: typed.name, envelope: kept, durationMs, notes: [] } });
}

/** Undefined if it cannot be recorded: the program then runs without a record. */
async function recordingOf(command: string, place: RecordingPlace): Promise<Recording | undefined> {
  const { recordScreen } = await import("../terminal/record-screen.ts");
  try {
    return recordScreen(command, place);
  } catch {
    return undefined;
  }
}

/** Runs a shell command in the project with the terminal. Closes an open viewer. */
export function runInForeground(
  tui: Tui,
  command: readonly [string, ...string[]],
  env = tui.session.agent.env,
): Promise<LentEnd> {
  const { places } = tui.session.agent;
  const { dialog } = tui;
  const begin = () => tui.viewer?.close();
  return lendTerminal(tui.surface, { command, cwd: places.projectDir, env, begin }).finally(() => {
    // A key that was meant for the program does not answer a question that has opened meanwhile.
    if (tui.dialog !== dialog) tui.focus.toDraft();
  });
}
