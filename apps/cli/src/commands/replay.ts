import { basename, dirname } from "node:path";
import { isatty } from "node:tty";
import { loadConfig, type RecordedCall, type Recording, secretsOf, withoutSecrets } from "@ikigai/agent";
import { execute, type Outcome } from "@ikigai/core";
import { readSandboxFlags, type SandboxFlags } from "../argv.ts";
import { commands } from "../command-line/commands.ts";
import { confirm } from "../confirm.ts";
import { exitCodes } from "../exit-codes.ts";
import { openRecording } from "../open-recording.ts";
import { openToolbox } from "../open-toolbox.ts";
import { findPlaces, type Places } from "../places.ts";
import { printError } from "../print-out.ts";
import { readOptions } from "../read-options.ts";
import { callableTool } from "../replay/callable-tool.ts";
import { findCall } from "../replay/find-call.ts";
import { type MadeCall, madeCall } from "../replay/made-call.ts";
import { printReplay } from "../replay/print-replay.ts";
import { shellLine } from "../replay/shell-line.ts";
import { toolRemark, toolState } from "../replay/tool-state.ts";
import { sanitise, sanitiseLine } from "../screen/sanitise.ts";
import { beforeExit } from "../shutdown.ts";
import { sandboxRefusal, toolRulesOf } from "../tool-rules.ts";
import { UsageError } from "../usage-error.ts";
import type { Command, CommandContext } from "./command.ts";
import { readOperands } from "./read-operands.ts";

const syntax = commands.replay;

export const replay: Command = {
  async run(args, context) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const [wanted = ""] = readOperands(operands, syntax);
    const session = openRecording(context.places, values.session?.[0]);
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
  const places = findPlaces(context.env, made.projectDir);
  const { config } = loadConfig(places.home);
  const rules = toolRulesOf(config, places, context.env, sandboxOf(made, context));
  const refusal = await sandboxRefusal(rules, places, context.env);
  if (refusal !== undefined) return fail(refusal);
  const callable = callableTool(made, await openToolbox(places, context.env, rules).last());
  if ("problem" in callable) return fail(callable.problem);
  const { tool } = callable;
  const state = await toolState(made);
  printError(toolRemark(made, state));
  if (!(context.isAllowed || isReadOnly(made, places) || (await isConfirmed(made)))) return exitCodes.failed;
  const outcome = await runAgain((signal) =>
    execute(tool, made.arguments, { ...rules.settingsFor(made.name), ...circumstances(made, context), signal }),
  );
  const clean = withoutSecrets(outcome, secretsOf(config, context.env));
  const isSame = printReplay({ call, made, state, outcome: clean }, context);
  return isSame ? exitCodes.done : exitCodes.failed;
}

/** What ran in a sandbox never runs again without one: nobody has looked at what it does outside. */
function sandboxOf({ sandbox }: MadeCall, { sandboxFlags }: ReplayContext): SandboxFlags {
  if (!sandbox || Object.keys(sandboxFlags).length > 0) return sandboxFlags;
  return { sandbox: true, ...(sandbox.network && { sandboxNetwork: true }) };
}

/** As it was: where, with what limits, by which names. The rest of the environment is the user's of now. */
function circumstances({ cwd, projectDir, sessionId, id, env }: MadeCall, context: CommandContext) {
  const { IKIGAI_HOME, IKIGAI_LIBEXEC, IKIGAI_TOOL_PATH, ...own } = context.env;
  const { IKIGAI_TIMEOUT_MS: timeoutMs, IKIGAI_MAX_OUTPUT_BYTES: maxOutputBytes } = env;
  // An old session does not tell what was set.
  const isRecorded = timeoutMs !== undefined;
  return {
    cwd,
    projectDir,
    sessionId,
    callId: id,
    env: isRecorded ? { ...own, ...env } : context.env,
    ...(isRecorded && { timeoutMs: Number(timeoutMs), maxOutputBytes: Number(maxOutputBytes) }),
  };
}

const readers: readonly string[] = ["file-read-tool", "glob-tool", "grep-tool"];

/** What a tool says of itself does not count, nor what a session's file says of it: only those that come with ikigai are known. */
function isReadOnly({ path }: MadeCall, { directories }: Places): boolean {
  const isSystems = directories.some((directory) => directory.scope === "system" && directory.path === dirname(path));
  return isSystems && readers.includes(basename(path));
}

async function isConfirmed(call: MadeCall): Promise<boolean> {
  if (!isatty(0) || !isatty(2)) {
    const what = `${call.name} may change something, and there is nobody to ask`;
    throw new UsageError(`Expected --yes, got none: ${what}. It would run: ${shellLine(call)}`);
  }
  printError(`${sanitise(shellLine(call))}\n`);
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
