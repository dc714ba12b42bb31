import type { Command, Failure } from "../process/command.ts";

/** Where a tool runs if it is not started directly: in a sandbox, or behind a launcher. */
export interface Place {
  /** Prepares what takes time, for the next `wrap`. Never rejects. */
  ready?(): Promise<void>;
  /** Returns the command that runs `command` there, or why that is impossible. Never throws. */
  wrap(command: Command): Command | Failure;
  /** The variables of one call in a process that answers several. Absent: none. */
  callVariables?(callId: string, env: NodeJS.ProcessEnv): Readonly<Record<string, string>>;
}

/** How a sandbox gets into a network: the words before its own command line, or why it has none: the end of a sentence. */
export type Entrance = { readonly argv: readonly string[] } | { readonly problem: string };

/** What a tool, or one of its calls, exchanged with one host. */
export interface HostTraffic {
  readonly tool: string;
  /** The call, if its process knows it. */
  readonly call?: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  /** Bytes to the host and from it, of TCP's content. */
  readonly sent: number;
  readonly received: number;
  /** Why the host was last refused: `host HOST: REASON`. Absent if it was not. */
  readonly refused?: string;
  /** How often, if it was. */
  readonly refusals?: number;
}

/** A tool in the network, and the hosts that it needs: the user has agreed to them. */
export interface NetworkUser {
  readonly name: string;
  readonly hosts: readonly string[];
}

/**
 * The network of one session: all its sandboxes are in one network namespace, so that a server of one call answers the next. It leads
 * nowhere but to a door in this process, which asks the rules about each host. Made for the first sandbox that needs it. Linux only.
 */
export interface SessionNetwork {
  /** Makes it unless it exists, and listens on the ports that rules open since. Never rejects. */
  start(): Promise<void>;
  /** `undefined` until it is made. */
  entrance(): Entrance | undefined;
  /**
   * The variables with which programs of a tool, or of one of its calls, find the door, in an environment. From then on it opens the
   * hosts that the tool needs to them.
   */
  variables(tool: NetworkUser, env: NodeJS.ProcessEnv, call?: string): Readonly<Record<string, string>>;
  /** What went through the door so far. */
  traffic(): readonly HostTraffic[];
  /** Ends it. The next start makes a new one. */
  close(): void;
}
