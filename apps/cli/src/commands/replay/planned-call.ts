import { randomUUID } from "node:crypto";
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { checkArguments } from "@ikigai/agent/internal";
import { type ExecuteOptions, findTool, type RegisteredTool, type Registry } from "@ikigai/core";
import { dataDirectory } from "@ikigai/core/internal";
import { type Decision, decide, type Permission } from "@ikigai/permission";
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

/**
 * Decides whether a recorded call may run, as if a model made it now. The modes `allow`, `auto` and `edits` count as `ask`, since the call
 * was not requested in a conversation. Rules and the project allow it only in the current directory, since a file can name any.
 *
 * @param configured the permission in the directory of the call.
 * @param isHere whether that is the one ikigai was started in.
 */
export function decideReplay(call: MadeCall, tool: RegisteredTool, configured: Permission, isHere: boolean): Decision {
  const checked = checkArguments(call.arguments);
  if ("error" in checked) return { verdict: "deny", reason: checked.error };
  const { mode } = configured;
  const asks = mode === "allow" || mode === "edits" || mode === "auto";
  const permission: Permission = { ...configured, mode: asks ? "ask" : mode };
  const decision = decide(
    { id: call.id, name: tool.name, arguments: checked.text, value: checked.value },
    tool,
    permission,
  );
  if (decision.verdict !== "allow" || isHere) return decision;
  return { verdict: "ask", reason: "the session belongs to another directory" };
}

/**
 * Finds the tool of a recorded call among those that a model could call now, or that such a tool overrides. Only the path comes
 * from the record; scope, trust and overrides are the current ones.
 *
 * @param registry the tools of the call's directory.
 * @throws IkigaiError `call_not_repeatable` if there is no such tool.
 */
export function callableTool({ name, path, isLaunched }: MadeCall, registry: Registry): RegisteredTool {
  const known = registry.tools.filter((tool) => tool.name === name);
  const tool = known.find((candidate) => candidate.path === path) ?? known.find((candidate) => isSame(candidate, path));
  if (tool) return tool;
  refuseSubstitute(name, registry);
  if (isLaunched)
    throw notRepeatable(
      `This call of ${name} ran through a launcher that the configuration no longer has: ${path}. To repeat it, set the launcher again.`,
    );
  if (!existsSync(path)) throw notRepeatable(`The tool no longer exists: ${path}.${successor(name, registry)}`);
  const [overridden] = known.flatMap((candidate) => shadowedTool(candidate, path));
  if (overridden) return overridden;
  throw notRepeatable(
    `ikigai does not use ${path} as ${name} there: it is in no tool directory, is not trusted, or does not work. See: ikigai tool list`,
  );
}

/** A tool that the configuration runs elsewhere must not run here because an older call did. */
function refuseSubstitute(name: string, { tools, failed }: Registry): void {
  const launched = tools.find((tool) => tool.name === name && tool.launcher);
  if (launched)
    throw notRepeatable(`${name} runs elsewhere now: ${launched.path}. To call it: ikigai tool call ${name} JSON`);
  const broken = failed.find((tool) => tool.name === name && tool.isLaunched);
  if (broken) throw notRepeatable(`${name} cannot be started through "${broken.path}": ${broken.detail}.`);
}

/** Whether a path is the tool's file, by another spelling or link. A tool behind a launcher has no local file. */
function isSame({ path, launcher }: Pick<RegisteredTool, "path" | "launcher">, recorded: string): boolean {
  const real = realPath(recorded);
  return !launcher && real !== undefined && realPath(path) === real;
}

function realPath(path: string): string | undefined {
  try {
    return isAbsolute(path) ? realpathSync.native(path) : undefined;
  } catch {
    return undefined;
  }
}

/** The overridden tool at a path, if it is the user's or the system's. A project's tool is excluded: its trust was not checked. */
function shadowedTool({ name, shadows, system }: RegisteredTool, recorded: string): RegisteredTool[] {
  const index = shadows.findIndex((shadow) => isSame(shadow, recorded));
  const found = shadows[index];
  if (!found || found.scope === "project") return [];
  const { path, scope } = found;
  const [next] = shadows.slice(index + 1);
  const shadowed = next && realPath(next.path);
  const schema = { name, description: "", parameters: { type: "object" } };
  const identity = { realPath: realPath(path) ?? path, stamp: "" };
  return [
    {
      name,
      path,
      scope,
      schema,
      identity,
      shadows: [],
      warnings: [],
      ...(system && { system }),
      ...(shadowed && { shadowed }),
    },
  ];
}

function successor(name: string, registry: Registry): string {
  const now = findTool(registry, name);
  return now ? ` ${name} is ${now.path} now: ikigai tool call ${name} JSON` : "";
}
