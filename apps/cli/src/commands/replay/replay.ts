import {
  loadConfig,
  type RecordedCall,
  type Recording,
  readRecording,
  recordedHost,
  type SandboxFlags,
  secretsOf,
  storedKeys,
  toolRules,
  withoutSecrets,
  withVisuals,
} from "@ikigai/agent/internal";
import { execute, type Outcome } from "@ikigai/core";
import { IkigaiError } from "@ikigai/core/ikigai-error";
import { beforeExit, realPathOf } from "@ikigai/system";
import { commands } from "../../args/commands.ts";
import { readSandboxFlags } from "../../args/parse-argv.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { canAsk, confirm } from "../../host/confirm.ts";
import { type CommandErrorCode, exitCodes } from "../../host/exit-codes.ts";
import { networkedRules, openToolbox, requireSandbox } from "../../host/open-toolbox.ts";
import { findPlaces } from "../../host/places.ts";
import { printError } from "../../host/stdout.ts";
import { sanitiseLine, sanitiseStrictly } from "../../render/sanitise.ts";
import type { Command, CommandContext } from "../command.ts";
import { callableTool } from "./callable-tool.ts";
import { type MadeCall, madeCall, notRepeatable, toolRemark, toolState } from "./made-call.ts";
import { decideReplay, directoryOf, type PlannedCall, plannedCall } from "./planned-call.ts";
import { printReplay } from "./print-replay.ts";
import { callLine } from "./shell-line.ts";

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
  const { config } = loadConfig(places.home);
  const rules = networkedRules(toolRules(config, places, sandboxOf(made, context)), config, { ...context, places });
  await requireSandbox(rules, places, context.env);
  const tool = callableTool(made, await openToolbox(places, context.env, rules).last());
  const planned = plannedCall(made, tool, { ...rules.settingsFor(tool.name), home: places.home, directory });
  const state = await toolState({ ...made, path: tool.path });
  printError(toolRemark(made, state));
  const isHere = directory === realPathOf(context.places.projectDir);
  const decision = decideReplay(made, tool, { config, home: places.home, directory, isHere });
  if (decision.verdict === "deny") throw notRepeatable(`The call is denied: ${decision.reason}.`);
  if (decision.verdict === "ask" && !(await isConfirmed(planned, decision.reason, context))) return exitCodes.failed;
  const outcome = await runAgain((signal) =>
    execute(tool, made.arguments, { ...planned.options, ...settings(), host: recordedHost(call), signal }),
  );
  const secrets = secretsOf(
    { ...config, storedKeys: storedKeys({ ...context.places, env: context.env }) },
    context.env,
  );
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
