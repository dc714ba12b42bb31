import { randomUUID } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import {
  type Config,
  checkArguments,
  type Decision,
  decide,
  type Permission,
  savedRules,
} from "@ikigai/agent/internal";
import type { ExecuteOptions, RegisteredTool } from "@ikigai/core";
import { dataDirectory } from "@ikigai/core/internal";
import { maxMaxOutputBytes, maxTimeoutMs } from "@ikigai/protocol";
import { type MadeCall, notRepeatable } from "./made-call.ts";

/** A recorded call as it would run now. */
export interface PlannedCall {
  /** The call to show the user, consistent with `options`. */
  readonly call: MadeCall;
  readonly tool: RegisteredTool;
  readonly options: Omit<ExecuteOptions, "env" | "sandbox">;
}

/**
 * The real path of a call's directory. ikigai calls tools in the project's directory, so it did not write a file that names two.
 *
 * @throws IkigaiError `call_not_repeatable` if the directory does not exist, or there are two.
 */
export function directoryOf({ cwd, env: { IKIGAI_PROJECT_DIR: projectDir = cwd } }: MadeCall): string {
  const path = realDirectory(cwd);
  if (path === undefined) throw notRepeatable(`The directory of the call no longer exists: ${cwd}.`);
  if (realDirectory(projectDir) === path) return path;
  throw notRepeatable(
    `The session names two directories for the call, ${cwd} and ${projectDir}, which ikigai never writes. Nothing was run.`,
  );
}

function realDirectory(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

/** The IDs that providers and ikigai give to calls and sessions. */
const plainId = /^\w[\w.:-]{0,127}$/;

/** Plans a recorded call: arguments, IDs and limits come from the record, everything else is current. */
export function plannedCall(made: MadeCall, tool: RegisteredTool, now: PlaceAndLimits): PlannedCall {
  const { directory, home } = now;
  const dataDir = dataDirectory(tool, { home, projectDir: directory });
  const options = {
    cwd: directory,
    sessionId: plainId.test(made.sessionId) ? made.sessionId : randomUUID(),
    callId: plainId.test(made.env.IKIGAI_CALL_ID ?? "") ? (made.env.IKIGAI_CALL_ID ?? "") : randomUUID(),
    timeoutMs: limit(made.env.IKIGAI_TIMEOUT_MS, maxTimeoutMs, now.timeoutMs),
    maxOutputBytes: limit(made.env.IKIGAI_MAX_OUTPUT_BYTES, maxMaxOutputBytes, now.maxOutputBytes),
    answerBytes: limit(made.env.IKIGAI_ANSWER_BYTES, maxMaxOutputBytes, undefined),
  };
  const env = {
    IKIGAI_PROTOCOL: "1",
    IKIGAI_TOOL_NAME: tool.name,
    IKIGAI_TOOL_DIR: dirname(tool.path),
    IKIGAI_TOOL_SCOPE: tool.scope,
    ...(tool.shadowed !== undefined && { IKIGAI_SHADOWED_TOOL: tool.shadowed }),
    ...(tool.shell !== undefined && { IKIGAI_SHELL: tool.shell }),
    IKIGAI_PROJECT_DIR: directory,
    ...(dataDir !== undefined && { IKIGAI_DATA_DIR: dataDir }),
    IKIGAI_SESSION_ID: options.sessionId,
    IKIGAI_CALL_ID: options.callId,
    ...(options.timeoutMs !== undefined && { IKIGAI_TIMEOUT_MS: String(options.timeoutMs) }),
    ...(options.maxOutputBytes !== undefined && { IKIGAI_MAX_OUTPUT_BYTES: String(options.maxOutputBytes) }),
    ...(options.answerBytes !== undefined && { IKIGAI_ANSWER_BYTES: String(options.answerBytes) }),
  };
  const isLaunched = tool.launcher !== undefined;
  const call = { ...made, isLaunched, name: tool.name, path: tool.path, scope: tool.scope, cwd: directory, env };
  return { call, tool, options };
}

/** The call's directory, the user's own, and the user's limits for the tool. */
interface PlaceAndLimits {
  readonly directory: string;
  readonly home: string;
  readonly timeoutMs?: number | undefined;
  readonly maxOutputBytes?: number | undefined;
}

/** The recorded limit, capped at the current maximum; the user's limit if none was recorded. */
function limit(recorded: string | undefined, highest: number, now: number | undefined): number | undefined {
  const value = /^[1-9]\d{0,14}$/.test(recorded ?? "") ? Number(recorded) : undefined;
  return value === undefined ? now : Math.min(value, Math.max(highest, now ?? 0));
}

/** The directory and configuration that decide about a recorded call. */
interface ReplayPlace {
  readonly config: Config;
  /** The user's ikigai directory. */
  readonly home: string;
  /** The real directory of the call. */
  readonly directory: string;
  /** Whether that is the one ikigai was started in. */
  readonly isHere: boolean;
}

/**
 * Decides whether a recorded call may run, as if a model made it now. The modes `allow`, `auto` and `edits` count as `ask`, since the call
 * was not requested in a conversation. Rules and the project allow it only in the current directory, since a file can name any.
 */
export function decideReplay(call: MadeCall, tool: RegisteredTool, place: ReplayPlace): Decision {
  const { config, home, directory, isHere } = place;
  const checked = checkArguments(call.arguments);
  if ("error" in checked) return { verdict: "deny", reason: checked.error };
  const { mode = "ask", rules, ...others } = config.permission ?? {};
  const permission: Permission = {
    ...others,
    mode: mode === "allow" || mode === "edits" || mode === "auto" ? "ask" : mode,
    rules: savedRules({ home, projectDir: directory }, rules),
    projectDir: directory,
    home,
  };
  const decision = decide(
    { id: call.id, name: tool.name, arguments: checked.text, value: checked.value },
    tool,
    permission,
  );
  if (decision.verdict !== "allow" || isHere) return decision;
  return { verdict: "ask", reason: "the session belongs to another directory" };
}
