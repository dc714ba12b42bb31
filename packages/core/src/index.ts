import type { Envelope, HostErrorCode, Progress, ToolScope } from "@ikigai/protocol";
import type { FailedTool, RegisteredTool, Registry, ShadowedTool } from "./registry/registry.ts";
import type { TrustReport } from "./trust/trust-report.ts";

export type { FileIdentity } from "./registry/file-identity.ts";
export type { FailedTool, FailureReason, RegisteredTool, Registry, ShadowedTool } from "./registry/registry.ts";
export type { TrustedFile, TrustReport, TrustStatus } from "./trust/trust-report.ts";

export interface ToolDirectory {
  readonly path: string;
  readonly scope: ToolScope;
}

/** Farthest first. A project's `.ikigai` that is the user's own is left out; so are duplicates. */
export declare function toolDirectories(places: {
  readonly systemDir: string;
  readonly home: string;
  readonly projectDir: string;
  readonly toolPath?: string | undefined;
}): readonly ToolDirectory[];

export interface DiscoverOptions {
  readonly directories: readonly ToolDirectory[];
  readonly home: string;
  readonly projectDir: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  /** Asks every tool again, also those that have not changed. */
  readonly fresh?: boolean;
}
export declare function discover(options: DiscoverOptions): Promise<Registry>;
/** Cheap: whether a new discovery could find something else. */
export declare function registryChanged(registry: Registry): boolean;
/** `Debug: tool 'foo' schema failed (timeout)` */
export declare function renderFailure(failed: FailedTool): string;
export declare function findTool(registry: Registry, name: string): RegisteredTool | undefined;
export declare function nearestName(registry: Registry, name: string): string | undefined;

export interface Place {
  readonly home: string;
  readonly projectDir: string;
}
export declare function trustStatus(place: Place): Promise<TrustReport>;
/** Stores what the user has seen; what changed after that is not covered. Without `seen`, what is there now. */
export declare function trust(place: Place & { readonly seen?: TrustReport }): Promise<TrustReport>;
/** Whether there was anything to revoke. */
export declare function revokeTrust(place: Place): Promise<boolean>;
/** Which tools the project's would override. Lists directories, runs nothing. */
export declare function projectOverrides(
  directories: readonly ToolDirectory[],
): readonly { readonly name: string; readonly path: string; readonly shadows: readonly ShadowedTool[] }[];

export interface ExecuteOptions {
  readonly cwd: string;
  readonly projectDir: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The user's own setting for this tool. */
  readonly timeoutMs?: number | undefined;
  /** The user's own setting for this tool. */
  readonly maxOutputBytes?: number | undefined;
  readonly overflowDir?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}
export interface Outcome {
  readonly envelope: Envelope;
  readonly json: string;
  readonly durationMs: number;
  readonly overflowFile?: string;
  readonly notes: readonly string[];
}
export declare function execute(tool: RegisteredTool, args: string, options: ExecuteOptions): Promise<Outcome>;
export declare function callTool(
  registry: Registry,
  name: string,
  args: string,
  options: ExecuteOptions,
): Promise<Outcome>;
/** An outcome for a call that was never started: refused, cancelled. */
export declare function failedOutcome(code: HostErrorCode, error: string): Outcome;
