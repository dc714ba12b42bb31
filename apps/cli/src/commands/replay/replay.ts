// `ikigai replay`: repeats calls of a recorded session and compares the results. In reading order: one call with its sandbox and the question,
// finding it, and the comparison. What was recorded is in recorded-calls.ts.

import { isatty } from "node:tty";
import { type SandboxFlags, toolSetup, withoutSecrets, withVisuals } from "@ikigai/agent/internal";
import { execute, type Outcome } from "@ikigai/core";
import { IkigaiError } from "@ikigai/core/errors";
import type { JsonValue } from "@ikigai/protocol";
import { type DiffLine, diffLines, sanitiseLine, sanitiseStrictly, terminalKind } from "@ikigai/screen";
import { type RecordedCall, type Recording, readRecording, recordedHost } from "@ikigai/session";
import { beforeExit, jsonObject, realPathOf } from "@ikigai/system";
import { commands } from "../../args/commands.ts";
import { readSandboxFlags } from "../../args/parse-argv.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { openCommandTools, requireSandbox } from "../../host/conversation/command-tools.ts";
import { findPlaces } from "../../host/places/find-places.ts";
import { canAsk, confirm } from "../../host/terminal/ask-person.ts";
import { type CommandErrorCode, exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { renderChange } from "../../render/call/file-change.ts";
import { jsonOrText, safeJson } from "../../render/json.ts";
import { createLineOutput } from "../../render/line-output.ts";
import { duration } from "../../render/short-forms.ts";
import type { Command, CommandContext } from "../command.ts";
import {
  callableTool,
  callLine,
  decideReplay,
  directoryOf,
  type MadeCall,
  madeCall,
  notRepeatable,
  type PlannedCall,
  plannedCall,
  shellLine,
  type ToolState,
  toolRemark,
  toolState,
} from "./recorded-calls.ts";

const syntax = commands.replay;

export const replay: Command = {
  async run(args, context) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const [wanted = ""] = readOperands(operands, syntax);
    const { home, projectDir } = context.places;
    const session = readRecording({ home, cwd: projectDir, id: values.session?.[0] });
    const call = findCall(session, wanted);
    return replayCall(call, session, {
      ...context,
      isAllowed: flags.has("yes"),
      asJson: flags.has("json"),
      sandboxFlags: readSandboxFlags(flags),
    });
  },
};

interface ReplayContext extends CommandContext {
  /** The user confirmed with --yes. */
  readonly isAllowed: boolean;
  readonly asJson: boolean;
  readonly sandboxFlags: SandboxFlags;
}

async function replayCall(call: RecordedCall, session: Recording, context: ReplayContext): Promise<number> {
  const made = madeCall(call, session);
  if (!made) throw notRepeatable(neverRan(call, session));
  const directory = directoryOf(made);
  const places = findPlaces(context.env, directory);
  const setup = toolSetup({ places, env: context.env, flags: sandboxOf(made, context) });
  const { rules } = setup.openNetwork();
  await requireSandbox(rules, places, context.env);
  const tool = callableTool(made, await openCommandTools(places, context.env, rules).last());
  const planned = plannedCall(made, tool, { ...rules.settingsFor(tool.name), home: places.home, directory });
  const state = await toolState({ ...made, path: tool.path });
  printError(toolRemark(made, state));
  const isHere = directory === realPathOf(context.places.projectDir);
  const decision = decideReplay(made, tool, setup.permission, isHere);
  if (decision.verdict === "deny") throw notRepeatable(`The call is denied: ${decision.reason}.`);
  if (decision.verdict === "ask" && !(await isConfirmed(planned, decision.reason, context))) return exitCodes.failed;
  const outcome = await runAgain((signal) =>
    execute(tool, made.arguments, { ...planned.options, ...settings(), host: recordedHost(call), signal }),
  );
  const { secrets } = setup;
  // As the model got the recorded result.
  const place = { ...planned.options, ...settings(), cwd: directory, projectDir: directory };
  const clean = await withoutSecrets(withVisuals(outcome, tool, place, secrets), secrets);
  const isSame = printReplay({ call, made: planned.call, state, outcome: clean }, context);
  return isSame ? exitCodes.done : exitCodes.failed;

  function settings() {
    return { sandbox: rules.settingsFor(tool.name).sandbox, home: places.home, env: context.env };
  }
}

function neverRan({ name, result }: RecordedCall, { id, replayOf }: Recording): string {
  if (replayOf === undefined) return `This call of ${name} never ran: ${result?.json ?? "the session ended before it"}`;
  return (
    `Session ${id} is a replay of session ${replayOf}, so none of its calls ran. ` +
    `To repeat one of the original: ikigai tool log ${replayOf}, then ikigai replay CALL --session ${replayOf}`
  );
}

/** A sandboxed call is repeated only in a sandbox. Only the user, not the file, can open all hosts. */
function sandboxOf({ sandbox }: MadeCall, { sandboxFlags }: ReplayContext): SandboxFlags {
  return sandbox ? { sandbox: true, ...sandboxFlags } : sandboxFlags;
}

async function isConfirmed(
  { call, tool }: PlannedCall,
  reason: string,
  { isAllowed }: ReplayContext,
): Promise<boolean> {
  if (isAllowed) return true;
  const what = `${tool.identity.realPath} (${tool.scope}), because ${reason}:\n${callLine(call, { isWhole: true })}`;
  if (!canAsk())
    throw new UsageError(sanitiseStrictly(`Not a terminal: pass --yes to confirm. This would run ${what}`));
  printError(`${sanitiseStrictly(`This runs ${what}`)}\n`);
  return confirm("Run it again?");
}

/** Runs the call; the tool ends when ikigai ends. */
async function runAgain(start: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
  const controller = new AbortController();
  const end = start(controller.signal);
  const leave = beforeExit(() => {
    controller.abort();
    return end;
  });
  try {
    return await end;
  } finally {
    leave();
  }
}

/**
 * Finds a call by its number in `ikigai tool log`, by its ID, or by a unique start of its ID.
 *
 * @throws IkigaiError `call_not_found`.
 */
function findCall({ id, calls }: Recording, wanted: string): RecordedCall {
  const exact =
    calls.find((call) => call.id === wanted) ?? (/^[1-9]\d*$/.test(wanted) ? calls[Number(wanted) - 1] : undefined);
  const matches = calls.filter((call) => wanted !== "" && call.id.startsWith(wanted));
  const found = exact ?? (matches.length === 1 ? matches[0] : undefined);
  if (found) return found;
  const why =
    calls.length === 0
      ? `Session ${id} has no calls, so there is nothing to replay.`
      : matches.length > 1
        ? `The IDs of ${matches.length} calls in session ${id} start with ${wanted}.`
        : `Session ${id} has no call ${wanted} (calls: ${calls.length}). See: ikigai tool log ${id}`;
  throw new IkigaiError<CommandErrorCode>("call_not_found", sanitiseLine(why));
}

/** A call with its recorded and its new result. */
interface Replay {
  readonly call: RecordedCall;
  readonly made: MadeCall;
  readonly state: ToolState;
  readonly outcome: Outcome;
}

/** Prints the new result and the differences; returns whether the results are the same. */
function printReplay(replay: Replay, { asJson, env }: { asJson: boolean; env: NodeJS.ProcessEnv }): boolean {
  const { call, outcome } = replay;
  const difference = call.result && compareEnvelopes(call.result, outcome);
  const isSame = call.result !== undefined && difference === undefined;
  if (asJson) {
    printOut(`${safeJson(toJson(replay, isSame))}\n`);
    return isSame;
  }
  printOut(`${callLine(replay.made)}\n`);
  for (const note of outcome.notes) printError(`${sanitiseLine(note)}\n`);
  const now = duration(outcome.durationMs);
  if (!call.result) {
    printOut(`The session ended during this call. Result now, after ${now}:\n`);
    printOut(`${safeJson(outcome.json)}\n`);
    return isSame;
  }
  printOut(`${isSame ? "Same" : "Different"} result: ${duration(call.result.durationMs)} then, ${now} now\n`);
  const screen = createLineOutput(terminalKind(env, { isTerminal: isatty(1) }));
  if (difference) printOut(`${renderChange({ lines: difference }, screen).join("\n")}\n`);
  return isSame;
}

function toJson({ call, made, state, outcome }: Replay, isSame: boolean): string {
  return jsonObject({
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

/** The difference between two envelopes; undefined if they are equal. */
function compareEnvelopes(then: Result, now: Result): readonly DiffLine[] | undefined {
  if (then.json === now.json) return undefined;
  try {
    const areCutAlike = (one: string, other: string) => isSameCut(one, then.overflowFile, other, now.overflowFile);
    const [before, after] = [toolsPart(then.json), toolsPart(now.json)];
    const isSame = areSame(JSON.parse(before), JSON.parse(after), areCutAlike);
    return isSame ? undefined : diffLines(linesOf(before), linesOf(after));
  } catch {
    // Not an envelope, or nested too deeply to compare: ikigai did not write this file.
    return diffLines([then.json], linesOf(now.json));
  }
}

/** An envelope without what the host of a conversation adds for the model. */
function toolsPart(json: string): string {
  const { sandbox: _, hook_context: __, diagnostics: ___, ...envelope } = JSON.parse(json);
  return JSON.stringify(envelope);
}

type Result = Pick<Outcome, "json" | "overflowFile">;

function areSame(then: JsonValue, now: JsonValue, areAlike: (then: string, now: string) => boolean): boolean {
  if (typeof then === "string" && typeof now === "string") return then === now || areAlike(then, now);
  if (typeof then !== "object" || typeof now !== "object" || !then || !now) return then === now;
  if (Array.isArray(then) !== Array.isArray(now)) return false;
  const [before, after] = [new Map(Object.entries(then)), new Map(Object.entries(now))];
  return (
    before.size === after.size &&
    [...before].every(([key, value]) => after.has(key) && areSame(value, after.get(key) ?? null, areAlike))
  );
}

/** Whether two cut texts agree as far as they go: the length of the overflow file's name decides how much is kept. */
function isSameCut(then: string, thenFile: string | undefined, now: string, nowFile: string | undefined): boolean {
  const [before, after] = [keptOf(then, thenFile), keptOf(now, nowFile)];
  if (before === undefined || after === undefined) return false;
  return before.startsWith(after) || after.startsWith(before);
}

/** The kept part of a cut text, whose last line names the file with all of it. */
function keptOf(text: string, overflowFile: string | undefined): string | undefined {
  return overflowFile && text.endsWith(overflowFile) ? text.slice(0, text.lastIndexOf("\n")) : undefined;
}

/** JSON with one value per line and one line per line of text, so that a diff of long output is readable. */
function linesOf(json: string): string[] {
  return JSON.stringify(JSON.parse(json), null, 2)
    .replace(/\\(.)/g, (whole, letter) => (letter === "n" ? "\\n\n" : whole))
    .split("\n");
}
