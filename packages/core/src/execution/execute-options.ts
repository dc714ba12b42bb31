import type { Progress } from "@ikigai/protocol";
import type { SandboxSettings } from "../place/sandbox/sandbox-policy.ts";
import type { Command } from "../process/command.ts";
import type { ToolProcess } from "../process/start-process.ts";
import type { RegisteredTool } from "../registry/registry.ts";

/** What is known of a call before the model has written it. */
export type ExpectedCall = Omit<ExecuteOptions, "ahead" | "callId">;

/** A tool's process that waits for its arguments. */
export interface AheadProcess {
  /** What its process was told as `IKIGAI_CALL_ID`: the call that takes it is made under this id. */
  readonly callId: string;
  /** Whether it waits, and is what a call of this tool in these circumstances would start. */
  fits(tool: RegisteredTool, expected: ExpectedCall): boolean;
  /** The process, if it is what `wanted` would start and is still waiting; otherwise it is ended. */
  take(wanted: Command): Promise<ToolProcess | undefined>;
  /** Ends it, unless it was taken. */
  discard(): void;
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
}
