import type { Progress } from "@ikigai/protocol";
import type { Place } from "../place/place.ts";
import type { SandboxSettings } from "../place/sandbox/sandbox-policy.ts";
import type { Command } from "../process/command.ts";
import type { ToolProcess } from "../process/start-process.ts";
import type { RegisteredTool } from "../registry/registry.ts";

/** What is known of a call before the model has written it. */
export type ExpectedCall = Omit<ExecuteOptions, "ahead" | "callId">;

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
  /** Runs the tool in a sandbox, in which it may do no more than this. Without, it may do what the user may. */
  readonly sandbox?: SandboxSettings | undefined;
  /** Where output goes that is longer; a new directory among the system's temporary files unless told. */
  readonly overflowDir?: string | undefined;
  /** Ends the call: SIGTERM at once, SIGKILL two seconds later. */
  readonly signal?: AbortSignal | undefined;
  /** Is given what the tool reports while it works. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** A process that was started for this call before its arguments were known. It is used or ended. */
  readonly ahead?: AheadProcess | undefined;
  /** Where a process of this tool may wait. The call uses it, and has the next one started. */
  readonly spares?: SpareTools | undefined;
  /** Is given what starts the next one, to do so at a good moment: it takes the host 3 ms. Right behind the call's start unless told. */
  readonly refill?: ((start: () => void) => void) | undefined;
}
