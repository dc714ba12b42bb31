import { graceMs, maxFailureStreamBytes, type Progress } from "@ikigai/protocol";
import { readChunks } from "../process/read-chunks.ts";
import { type Command, startProcess, type ToolProcess } from "../process/start-process.ts";
import { toolEnvironment } from "../process/tool-environment.ts";
import { untilSettled } from "../process/until-settled.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { firstChange } from "../registry/stamps.ts";
import { type CallLimits, callLimits } from "./call-limits.ts";
import { HeadAndTail } from "./head-and-tail.ts";
import { failedOutcome, type Outcome } from "./outcome.ts";
import { OutputCollector } from "./output-collector.ts";
import { readProgress } from "./read-progress.ts";
import { toOutcome } from "./to-outcome.ts";

/** The circumstances of one call. */
export interface ExecuteOptions {
  /** Where the tool works: the directory ikigai was started in. */
  readonly cwd: string;
  readonly projectDir: string;
  readonly sessionId: string;
  /** Unique among the calls this host has running. */
  readonly callId: string;
  /** What the tool's environment is made from; the host's own unless told. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** How long this tool's calls may take by the user's configuration, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** How much of this tool's output the model may see by the user's configuration, in bytes. */
  readonly maxOutputBytes?: number | undefined;
  /** Where output goes that is longer; a new directory among the system's temporary files unless told. */
  readonly overflowDir?: string | undefined;
  /** Ends the call: SIGTERM at once, SIGKILL two seconds later. */
  readonly signal?: AbortSignal | undefined;
  /** Is given what the tool reports while it works. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Calls a tool: one process, which gets `args` on stdin and is gone when the promise settles, with all it started.
 *
 * Never rejects. What went wrong is in the envelope: `TOOL_UNAVAILABLE`, `TOOL_TIMEOUT`, `TOOL_CANCELLED`, `TOOL_CRASHED`,
 * `INVALID_OUTPUT` or `OUTPUT_TOO_LARGE`.
 *
 * @param args is handed on as it is: the tool itself says what is wrong with it.
 */
export async function execute(tool: RegisteredTool, args: string, options: ExecuteOptions): Promise<Outcome> {
  const startedAtMs = performance.now();
  const refusal = refuse(tool, options);
  if (refusal) return refusal;
  const limits = callLimits(tool, args, options);
  const started = await startProcess(commandFor(tool, limits, options));
  if ("failure" in started) return unavailable(tool, `cannot be started: ${started.failure}`);
  const streams = listen(started.process, limits, options);
  started.process.stdin?.end(args);
  const { callId, signal } = options;
  const { flooded } = streams.output;
  const end = await untilSettled(started.process, { callId, signal, flooded, graceMs, timeoutMs: limits.timeoutMs });
  const outcome = await toOutcome({ tool, limits, end, ...streams });
  return { ...outcome, durationMs: performance.now() - startedAtMs };
}

/** Why a call does not even start. */
function refuse(tool: RegisteredTool, { signal }: ExecuteOptions): Outcome | undefined {
  if (signal?.aborted) return failedOutcome("TOOL_CANCELLED", `Tool '${tool.name}' was interrupted by the user`);
  const changed = tool.trusted && firstChange(tool.trusted);
  if (changed === undefined) return undefined;
  return unavailable(tool, `is not run: ${changed} has changed since you trusted it; look at it and run: ikigai trust`);
}

function unavailable({ name }: RegisteredTool, what: string): Outcome {
  return failedOutcome("TOOL_UNAVAILABLE", `Tool '${name}' ${what}`);
}

function commandFor(tool: RegisteredTool, limits: CallLimits, options: ExecuteOptions): Command {
  const { name, path, scope, schema } = tool;
  const owner = { name, path, scope, wantedKeys: schema.ikigai?.env };
  return {
    path,
    args: [],
    cwd: options.cwd,
    env: toolEnvironment(options.env ?? process.env, owner, {
      IKIGAI_PROJECT_DIR: options.projectDir,
      IKIGAI_SESSION_ID: options.sessionId,
      IKIGAI_CALL_ID: options.callId,
      IKIGAI_TIMEOUT_MS: String(limits.timeoutMs),
      IKIGAI_MAX_OUTPUT_BYTES: String(limits.maxOutputBytes),
    }),
    hasInput: true,
    hasProgress: options.onProgress !== undefined,
  };
}

/** Reads everything the process prints from now on: a pipe that nobody empties stops who writes to it. */
function listen({ stdout, stderr, progress }: ToolProcess, limits: CallLimits, options: ExecuteOptions) {
  const { callId, overflowDir, onProgress } = options;
  const ends = new HeadAndTail(maxFailureStreamBytes);
  readChunks(stderr, (chunk) => ends.add(chunk));
  readProgress(progress, onProgress);
  return {
    output: new OutputCollector(stdout, { maxBytes: limits.maxOutputBytes, overflowDir, callId }),
    stderr: ends,
  };
}
