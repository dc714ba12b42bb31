import { isatty } from "node:tty";
import type { RecordedCall } from "@ikigai/agent/internal";
import type { Outcome } from "@ikigai/core";
import { printError, printOut } from "../../host/stdout.ts";
import { object } from "../../print/report.ts";
import { renderChange } from "../../render/file-change.ts";
import { jsonOrText, safeJson } from "../../render/json.ts";
import { createLineOutput } from "../../render/line-output.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { terminalKind } from "../../render/terminal-kind.ts";
import { duration } from "../../render/times-and-sizes.ts";
import { compareEnvelopes } from "./compare-envelopes.ts";
import type { MadeCall } from "./made-call.ts";
import { shellLine } from "./shell-line.ts";
import type { ToolState } from "./tool-state.ts";

/** A call, what came of it then, and what came of it now. */
export interface Replay {
  readonly call: RecordedCall;
  readonly made: MadeCall;
  readonly state: ToolState;
  readonly outcome: Outcome;
}

/** Prints how a call ended this time and what is different; says whether it ended in the same way. */
export function printReplay(replay: Replay, { asJson, env }: { asJson: boolean; env: NodeJS.ProcessEnv }): boolean {
  const { call, outcome } = replay;
  const difference = call.result && compareEnvelopes(call.result.json, outcome.json);
  const isSame = call.result !== undefined && difference === undefined;
  if (asJson) {
    printOut(`${safeJson(toJson(replay, isSame))}\n`);
    return isSame;
  }
  printOut(`${shellLine(replay.made)}\n`);
  for (const note of outcome.notes) printError(`${sanitiseLine(note)}\n`);
  const now = duration(outcome.durationMs);
  if (!call.result) {
    printOut(`The session ended before this call did; now, after ${now}:\n`);
    printOut(`${safeJson(outcome.json)}\n`);
    return isSame;
  }
  printOut(`${isSame ? "Same" : "Different"} result: ${duration(call.result.durationMs)} then, ${now} now\n`);
  const screen = createLineOutput(terminalKind(env, { isTerminal: isatty(1) }));
  if (difference) printOut(`${renderChange({ lines: difference }, screen).join("\n")}\n`);
  return isSame;
}

function toJson({ call, made, state, outcome }: Replay, isSame: boolean): string {
  return object({
    session_id: JSON.stringify(made.sessionId),
    id: JSON.stringify(call.id),
    name: JSON.stringify(call.name),
    command: JSON.stringify(shellLine(made)),
    tool: JSON.stringify(state.state),
    sha256: JSON.stringify({ recorded: made.sha256 ?? null, now: state.sha256 ?? null }),
    same: call.result ? String(isSame) : "null",
    recorded: jsonOrText(call.result?.json ?? "null"),
    envelope: outcome.json,
    duration_ms: String(Math.round(outcome.durationMs)),
  });
}
