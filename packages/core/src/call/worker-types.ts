// What a user, or a call, learns about the processes that stay: the services, their state and that of the processes that serve several calls.

import type { SandboxSettings } from "@ikigai/sandbox";
import type { RegisteredTool } from "../registry/registry.ts";

/** What decides whether calls share processes, besides the tool: the options of a call. */
export interface ServedCircumstances {
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly sandbox?: SandboxSettings | undefined;
  readonly serve?: boolean | undefined;
}

/**
 * The services: processes with state, each of which answers the calls of one or several tools.
 *
 * @internal Part of `SpareTools`.
 */
export interface ServicePool {
  /** Whether calls of this tool go to a service, in these circumstances. */
  serves(tool: RegisteredTool, expected: ServedCircumstances): boolean;
  /** Returns the same for people; `undefined` for a tool that names no service. */
  status(tool: RegisteredTool, expected: ServedCircumstances): ServiceStatus | undefined;
  /** The running services, in the order in which they were started. */
  list(): readonly ServiceInfo[];
  /** Ends all services. The next calls start them again, also those that have ended too often. */
  refresh(): Promise<void>;
  /** Ends the services of tools that are not among these. */
  retain(tools: readonly RegisteredTool[]): Promise<void>;
  /** Ends the services of a conversation. */
  endSession(sessionId: string): Promise<void>;
  /** Ends the services of a project whose files are no longer those that the user has trusted. */
  distrust(): Promise<void>;
}

/** Whether the calls of a tool share processes, for people. */
export interface ServedStatus {
  /** Why every call gets a process of its own, the end of a sentence; absent if calls share processes. */
  readonly whyNot?: string;
  /** How many processes are running. */
  readonly running: number;
}

/** A running service, for people. */
export interface ServiceInfo {
  /** The name that its tools give it. */
  readonly name: string;
  /** The directory of its tools, without symbolic links. */
  readonly directory: string;
  readonly pid: number | undefined;
  readonly startedAt: Date;
  /** How many calls it has been given. */
  readonly calls: number;
  readonly isReady: boolean;
  readonly isSandboxed: boolean;
  /** The file with what it printed on stderr; absent if it has no log file. */
  readonly log?: string;
  /** Ends it. The next call starts it again. Settles when it has ended. */
  end(): Promise<void>;
}

/** The service of a tool, for people. */
export interface ServiceStatus {
  readonly name: string;
  /** Why every call gets a process of its own, the end of a sentence; absent if calls go to the service. */
  readonly whyNot?: string;
  readonly running: readonly ServiceInfo[];
}
