import { randomUUID } from "node:crypto";
import type { Progress } from "@ikigai/protocol";
import type { Place } from "../place/place.ts";
import type { SandboxSettings } from "../place/sandbox/sandbox-policy.ts";
import type { Command } from "../process/command.ts";
import type { ToolProcess } from "../process/start-process.ts";
import { workingDirectory } from "../process/working-directory.ts";
import type { RegisteredTool } from "../registry/registry.ts";

/** The circumstances of one call. Each has a default. */
export interface ExecuteOptions {
  /** Where the tool works; this process's working directory unless told. */
  readonly cwd?: string | undefined;
  /** The project the tool works for; \`cwd\` unless told. */
  readonly projectDir?: string | undefined;
  /** Names the conversation; the same for all calls of this process unless told. */
  readonly sessionId?: string | undefined;
  /** Unique among the calls this host has running; a new one unless told. */
  readonly callId?: string | undefined;
  /** What the tool's environment is made from; the host's own unless told. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** How long this tool's calls may take by the user's configuration, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** How much of this tool's output the model may see by the user's configuration, in bytes. */
  readonly maxOutputBytes?: number | undefined;
  /** Runs the tool in a sandbox, in which it may do no more than this. Without, it may do what the user may. */
  readonly sandbox?: SandboxSettings | undefined;
  /** Where output goes that is longer; a new directory among the system's temporary files unless told. */
  readonly overflowDir?: string | undefined;
  /** Ends the call: SIGTERM at once, SIGKILL two seconds later. */
  readonly signal?: AbortSignal | undefined;
  /** Is given what the tool reports while it works. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Where a process of this tool may wait for its next call. The call uses it, and has the next one started. */
  readonly spares?: SpareTools | undefined;
}

/** The circumstances of one call, for a host that starts tools before it calls them. */
export interface CallOptions extends ExecuteOptions {
  readonly cwd: string;
  readonly projectDir: string;
  readonly sessionId: string;
  readonly callId: string;
  /** A process that was started for this call before its arguments were known. It is used or ended. */
  readonly ahead?: AheadProcess | undefined;
  /** Is given what starts the next spare process, to do so at a good moment: it takes the host 3 ms. At once unless told. */
  readonly refill?: ((start: () => void) => void) | undefined;
}

/** What is known of a call before the model has written it. */
export type ExpectedCall = Omit<CallOptions, "ahead" | "callId">;

/** The sandbox of one call: what it shows is worked out once, for a process that is started ahead and for the call itself. */
export interface CallSandbox {
  readonly place: Place;
  /** Everything that the sandbox was made from. */
  readonly key: string;
}

/** A tool's process that waits for its arguments. */
export interface AheadProcess {
  /** What its process was told as `IKIGAI_CALL_ID`. */
  readonly callId: string;
  /** The sandbox of the call that it was started or chosen for. */
  readonly sandbox: CallSandbox | undefined;
  /** Whether it waits, and is what `wanted` would start. */
  fits(wanted: Command): boolean;
  /** The process, if it is what `wanted` would start and is still waiting; otherwise it is ended. */
  take(wanted: Command): Promise<ToolProcess | undefined>;
  /** Ends it, unless it was taken. */
  discard(): void;
}

/** Processes of tools that wait, so that the next call of a tool finds it started. */
export interface SpareTools {
  /** Starts a process of this tool, unless one waits already. Only for tools that say `prestart`. */
  keep(tool: RegisteredTool, expected: ExpectedCall, sandbox?: CallSandbox): void;
  /** A waiting process that such a call would start. One that is of no use any more is ended. */
  take(tool: RegisteredTool, expected: ExpectedCall, sandbox?: CallSandbox): AheadProcess | undefined;
  /** Ends all of them, and starts no more. */
  close(): void;
}

/** The session of calls that name none: this process's. */
const ownSessionId = randomUUID();

/** Fills in what the caller has left out. Never throws. */
export function withDefaults(options: ExecuteOptions): CallOptions {
  const { cwd = workingDirectory(), projectDir = cwd, sessionId = ownSessionId, callId = randomUUID() } = options;
  return { ...options, cwd, projectDir, sessionId, callId };
}
