import {
  loadConfig,
  type RecordedCall,
  type Recording,
  readRecording,
  type SandboxFlags,
  secretsOf,
  toolRules,
  withoutSecrets,
} from "@ikigai/agent/internal";
import { execute, type Outcome } from "@ikigai/core";
import { beforeExit, realPathOf } from "@ikigai/system";
import { commands } from "../../args/commands.ts";
import { readSandboxFlags } from "../../args/parse-argv.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { canAsk, confirm } from "../../host/confirm.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import { openToolbox, requireSandbox } from "../../host/open-toolbox.ts";
import { findPlaces } from "../../host/places.ts";
import { printError } from "../../host/stdout.ts";
import { sanitiseLine, sanitiseStrictly } from "../../render/sanitise.ts";
import type { Command, CommandContext } from "../command.ts";
import { callableTool } from "./callable-tool.ts";
import { type MadeCall, madeCall, toolRemark, toolState } from "./made-call.ts";
import { decideReplay, directoryOf, type PlannedCall, plannedCall } from "./planned-call.ts";
import { printReplay } from "./print-replay.ts";
import { shellLine } from "./shell-line.ts";

const syntax = commands.replay;

export const replay: Command = {
  async run(args, context) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const [wanted = ""] = readOperands(operands, syntax);
    const { home, projectDir } = context.places;
    const session = readRecording({ home, cwd: projectDir, id: values.session?.[0] });
    const call = findCall(session, wanted);
    if ("problem" in call) return fail(call.problem);
    return replayCall(call, session, {
      ...context,
      isAllowed: flags.has("yes"),
      asJson: flags.has("json"),
      sandboxFlags: readSandboxFlags(flags),
    });
  },
};

interface ReplayContext extends CommandContext {
  /** Nothing is asked. */
  readonly isAllowed: boolean;
  readonly asJson: boolean;
  readonly sandboxFlags: SandboxFlags;
}

async function replayCall(call: RecordedCall, session: Recording, context: ReplayContext): Promise<number> {
  const made = madeCall(call, session);
  if (!made)
    return fail(`This call of ${call.name} was not run then: ${call.result?.json ?? "the session ended first"}`);
  const directory = directoryOf(made);
  if ("problem" in directory) return fail(directory.problem);
  const places = findPlaces(context.env, directory.path);
  const { config } = loadConfig(places.home);
  const rules = toolRules(config, places, sandboxOf(made, context));
  await requireSandbox(rules, places, context.env);
  const callable = callableTool(made, await openToolbox(places, context.env, rules).last());
  if ("problem" in callable) return fail(callable.problem);
  const { tool } = callable;
  const planned = plannedCall(made, tool, { ...rules.settingsFor(tool.name), directory: directory.path });
  const state = await toolState({ ...made, path: tool.path });
  printError(toolRemark(made, state));
  const isHere = directory.path === realPathOf(context.places.projectDir);
  const decision = decideReplay(made, tool, { config, home: places.home, directory: directory.path, isHere });
  if (decision.verdict === "deny") return fail(`The call is denied: ${decision.reason}.`);
  if (decision.verdict === "ask" && !(await isConfirmed(planned, decision.reason, context))) return exitCodes.failed;
  const outcome = await runAgain((signal) =>
    execute(tool, made.arguments, { ...planned.options, ...settings(), signal }),
  );
  const clean = withoutSecrets(outcome, secretsOf(config, context.env));
  const isSame = printReplay({ call, made: planned.call, state, outcome: clean }, context);
  return isSame ? exitCodes.done : exitCodes.failed;

  function settings() {
    return { sandbox: rules.settingsFor(tool.name).sandbox, env: context.env };
  }
}

/** What ran in a sandbox never runs again without one. The network in it is the user's to give, not the file's. */
function sandboxOf({ sandbox }: MadeCall, { sandboxFlags }: ReplayContext): SandboxFlags {
  return sandbox ? { sandbox: true, ...sandboxFlags } : sandboxFlags;
}

async function isConfirmed(
  { call, tool }: PlannedCall,
  reason: string,
  { isAllowed }: ReplayContext,
): Promise<boolean> {
  if (isAllowed) return true;
  const what = `${tool.identity.realPath} (${tool.scope}), because ${reason}:\n${shellLine(call, { isWhole: true })}`;
  if (!canAsk())
    throw new UsageError(sanitiseStrictly(`Not a terminal: pass --yes to confirm. This would run ${what}`));
  printError(`${sanitiseStrictly(`This runs ${what}`)}\n`);
  return confirm("Run it again?");
}

/** The tool ends with us. */
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

function fail(problem: string): number {
  printError(`ikigai: ${sanitiseLine(problem)}\n`);
  return exitCodes.failed;
}

/**
 * The call that a person means: by its number in `ikigai tool log`, or by its id, of which the beginning is enough if no other
 * begins so. When it cannot be told, one sentence on why.
 */
function findCall({ id, calls }: Recording, wanted: string): RecordedCall | { readonly problem: string } {
  const exact =
    calls.find((call) => call.id === wanted) ?? (/^[1-9]\d*$/.test(wanted) ? calls[Number(wanted) - 1] : undefined);
  if (exact) return exact;
  const matches = calls.filter((call) => wanted !== "" && call.id.startsWith(wanted));
  const [only, second] = matches;
  if (second) return { problem: `${matches.length} calls of the session ${id} begin with ${wanted}.` };
  return (
    only ?? { problem: `The session ${id} has no call ${wanted}: it has ${calls.length}. See: ikigai tool log ${id}` }
  );
}
