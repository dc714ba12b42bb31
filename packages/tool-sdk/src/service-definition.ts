import type { AnyService } from "./any-tool.ts";
import type { ToolContext } from "./tool-context.ts";

/** What `open` gets: `signal` aborts when the host no longer wants the service, `progress` reports how the start goes. */
export type ServiceContext = Pick<ToolContext, "signal" | "progress" | "fail">;

/**
 * What a service keeps between calls, and how it begins and ends.
 *
 * @typeParam State what it keeps: a connection, a browser, a count.
 */
export interface ServiceDefinition<State> {
  /** The name of the service: letters, digits, dots, dashes and underscores. */
  readonly name: string;
  /**
   * Makes the state, once in a process, before the first call. A service that takes long should report progress: the host waits
   * 60 seconds.
   *
   * @throws ToolFailure if it cannot start: the answer to the call.
   */
  open(context: ServiceContext): State | Promise<State>;
  /** Ends what the state has opened: a connection, a child process. Has 1.5 seconds. */
  close?(state: State): void | Promise<void>;
}

/** A service, made by `defineService`. */
export interface ToolService<State> extends ServiceDefinition<State>, AnyService {}
