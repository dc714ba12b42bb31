// What a call gets: its options, the process that waits for it, the call as it is prepared, and the pool of workers.

import { randomUUID } from "node:crypto";
import type { PlainInput, Progress } from "@ikigai/protocol";
import type { Command, Place, SandboxSettings } from "@ikigai/sandbox";
import type { JobKeeper } from "../jobs/jobs.ts";
import type { ToolProcess } from "../process/start-process.ts";
import { workingDirectory } from "../process/tool-command.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import type { Catalog } from "../skills/catalog.ts";
import type { CallLimits } from "./arguments.ts";
import type { AgentVariables, HostApi } from "./host-api.ts";
import type { Outcome } from "./outcome.ts";
import type { PlainRefusal } from "./plain-call.ts";
import type { ServedCircumstances, ServedStatus, ServicePool } from "./worker-types.ts";

/** Options of a single call. All are optional. */
export interface ExecuteOptions {
  /** The tool's working directory. Default: this process's. */
  readonly cwd?: string | undefined;
  /** The project the tool works for. Default: `cwd`. */
  readonly projectDir?: string | undefined;
  /** The user's directory, `~/.ikigai`; tools get their data directories below it. Default: they get none. */
  readonly home?: string | undefined;
  /** The conversation's directory for tools that declare `state`; made when the first of them is called. Default: they get none. */
  readonly stateDir?: string | undefined;
  /** Identifies the conversation. Default: one id for all calls of this process. */
  readonly sessionId?: string | undefined;
  /** Must be unique among the calls this host is running. Default: a new UUID. */
  readonly callId?: string | undefined;
  /** Environment the tool's environment is derived from. Default: `process.env`. Provider keys are removed. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** The user's timeout for this tool's calls, in milliseconds. Default: the schema's, else 30 seconds. */
  readonly timeoutMs?: number | undefined;
  /** The user's limit for the answer the model sees, in bytes. Default: the schema's, else the protocol's. */
  readonly maxOutputBytes?: number | undefined;
  /**
   * For a call whose answer a model reads: how much of it is worth reading, in bytes. `declared`: what the schema says, else
   * `maxOutputBytes`. Default: no model reads it, and the tool leaves out only what exceeds `maxOutputBytes`.
   */
  readonly answerBytes?: number | "declared" | undefined;
  /** Runs the tool in a sandbox with these grants. Default: no sandbox, the tool can do whatever the user can. */
  readonly sandbox?: SandboxSettings | undefined;
  /** Directory for answers longer than `maxOutputBytes`. Default: a new directory in the system's temporary directory. */
  readonly overflowDir?: string | undefined;
  /** Returns the list for a tool that declares `catalog`. Default: `callTool` writes one below `home`, `execute` has none. */
  readonly catalog?: (() => Catalog | undefined) | undefined;
  /** Cancels the call: SIGTERM to the tool at once, SIGKILL two seconds later. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each progress report of the tool. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Carries out the requests of tools that declare `host`, such as a question to the user. Default: there are no methods. */
  readonly host?: HostApi | undefined;
  /** Takes over the processes of calls that go on as jobs. Default: none do, and a command ends when its time is up. */
  readonly jobs?: JobKeeper | undefined;
  /** Pool of waiting processes (see `spareTools`). The call uses one if it fits, and starts the next. */
  readonly spares?: SpareTools | undefined;
  /**
   * What a call of a tool that starts agents gets.
   *
   * @internal The agent grants it.
   */
  readonly agent?: AgentVariables | undefined;
  /**
   * Whether a process in `spares` that has answered other calls may answer this one: for tools that declare `serves`, unless they
   * are the project's, and for those that name a `service`. Default: yes, unless the tool has a launcher or
   * `IKIGAI_NO_SERVE` is 1 in `env`.
   */
  readonly serve?: boolean | undefined;
}

/** Options of a call, for a host that starts tools before it calls them. */
export interface CallOptions extends ExecuteOptions {
  readonly cwd: string;
  readonly projectDir: string;
  readonly sessionId: string;
  readonly callId: string;
  /** A process that was started for this call before its arguments were known. It is either used or killed. */
  readonly ahead?: AheadProcess | undefined;
  /** Called with a function that starts the next spare process, which takes the host 3 ms. Default: at once. */
  readonly refill?: ((start: () => void) => void) | undefined;
}

/** The options of a call before the model has written it. */
export type ExpectedCall = Omit<CallOptions, "ahead" | "callId">;

/** The sandbox of one call. It is planned once, for the process started ahead and for the call itself. */
export interface CallSandbox {
  readonly place: Place;
  /** All inputs of the plan, as a string. */
  readonly key: string;
}

/** A tool's process that is waiting for its arguments. */
export interface AheadProcess {
  /** The process's `IKIGAI_CALL_ID`. */
  readonly callId: string;
  /** The sandbox of the call it was started or chosen for. */
  readonly sandbox: CallSandbox | undefined;
  /** Whether it is still waiting and is what `wanted` would start. */
  fits(wanted: Command): boolean;
  /** Returns the process if it fits `wanted`; otherwise kills it. */
  take(wanted: Command): Promise<ToolProcess | undefined>;
  /** Kills it, unless it was taken. */
  discard(): void;
}

/** A call with every decision made before it starts. */
export interface PreparedCall {
  readonly tool: RegisteredTool;
  /** The tool's stdin. */
  readonly text: string;
  /** Whether the text is known to be one JSON object. */
  readonly isObject: boolean;
  readonly limits: CallLimits;
  /** The process's `IKIGAI_CALL_ID`: that of the spare process if one serves the call. */
  readonly callId: string;
  /** The variables needed to repeat the call, except those that follow from the tool or the call id. */
  readonly variables: Readonly<Record<string, string>>;
  readonly options: CallOptions;
  readonly sandbox: CallSandbox | undefined;
  /** What the program of a plain tool gets, or why the call is refused. */
  readonly plain?: PlainInput | PlainRefusal | undefined;
  /** The process waiting for these arguments, if any. */
  readonly ahead: AheadProcess | undefined;
}

/** The outcome of a call before its time is known. */
export type CallResult = Omit<Outcome, "durationMs">;

/** A pool of waiting tool processes: the next call of a tool need not wait for its start. */
export interface SpareTools {
  /**
   * The processes of tools with `serves` in their schema.
   * @internal Announces calls, and says for people what there is.
   */
  readonly served: ServedPool;
  /**
   * The services.
   * @internal Ends them, and says for people what there is.
   */
  readonly services: ServicePool;
  /**
   * Makes a call in the tool's service, or in a process that has answered others. `undefined` if it needs a process of its own.
   * @internal `execute` calls it.
   */
  call(call: PreparedCall): Promise<CallResult | undefined>;
  /**
   * Starts a process of this tool, unless one is waiting. Does nothing for tools with neither `prestart` nor `serves` in their
   * schema.
   * @internal `execute` calls it.
   */
  keep(tool: RegisteredTool, expected: ExpectedCall, sandbox?: CallSandbox): void;
  /**
   * Returns a waiting process that such a call would start. Kills those that no longer fit.
   * @internal `execute` calls it.
   */
  take(tool: RegisteredTool, expected: ExpectedCall, sandbox?: CallSandbox): AheadProcess | undefined;
  /** Kills all waiting processes and ends the services. Calls start new ones. */
  refresh(): void;
  /** Kills all waiting processes, ends the services and starts no more. Settles when the services have ended: at most 5 seconds. */
  close(): Promise<void>;
}

/**
 * The processes that answer several calls, one after the other.
 *
 * @internal Part of `SpareTools`.
 */
export interface ServedPool {
  /** Whether calls of this tool share processes, in these circumstances. */
  serves(tool: RegisteredTool, expected: ServedCircumstances): boolean;
  /** Returns the same for people; `undefined` for a tool that does not declare `serves`. */
  status(tool: RegisteredTool, expected: ServedCircumstances): ServedStatus | undefined;
  /** Announces a call: has a process ready for it, up to the number that is kept. */
  expect(tool: RegisteredTool, call: CallOptions): AheadProcess;
  /** The sandbox that was planned for such a call. */
  plannedFor(tool: RegisteredTool, expected: ServedCircumstances): CallSandbox | undefined;
}

/** Default session id of this process's calls. */
const ownSessionId = randomUUID();

/** Fills in defaults. Never throws. */
export function withDefaults(options: ExecuteOptions): CallOptions {
  const { cwd = workingDirectory(), projectDir = cwd, sessionId = ownSessionId, callId = randomUUID() } = options;
  return { ...options, cwd, projectDir, sessionId, callId };
}
