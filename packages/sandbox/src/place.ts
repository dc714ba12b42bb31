/** A program to start. */
export interface Command {
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether stdin is a pipe; otherwise it is at its end. */
  readonly hasInput: boolean;
  /** Whether stdout is a real pipe, so that a script can open `/dev/stdout`; otherwise it is a socket. */
  readonly hasPipe?: boolean;
  /** Variables that are part of the call: a sandbox leaves none out. */
  readonly ofCall?: Readonly<Record<string, string>> | undefined;
  /** Whether descriptor 3 is read; otherwise writes to it are discarded. */
  readonly hasProgress: boolean;
  /** Content of descriptor 4; without it, descriptor 4 is closed. */
  readonly filter?: Uint8Array | undefined;
  /** The process between host and tool, if the tool is not started directly. */
  readonly through?: Through | undefined;
  /** What runs in the sandbox, and what it sees there. Linux only. */
  readonly inside?: Inside | undefined;
}

/** A command in a sandbox. */
export interface Inside extends Pick<Command, "path" | "args"> {
  /** By real path; the deepest path counts, and everything else is `shown`. */
  readonly views: ReadonlyMap<string, View>;
}

/** What a tool sees at a path: the real content, writable or read-only; the project's cache; its own temporary files; or nothing. */
export type View = "changeable" | "shown" | "cache" | "temporary" | "hidden";

/**
 * A process that starts the tool, waits for it and ends with its exit code. `sandbox`: in the same process group. `launcher`: a
 * shell somewhere else; `preamble` is the script it reads first, and closing its stdin stops it.
 */
export type Through = { readonly kind: "sandbox" } | { readonly kind: "launcher"; readonly preamble: string };

/** Why there is no command or process: the end of a sentence. */
export interface Failure {
  readonly failure: string;
}

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
type Entrance = { readonly argv: readonly string[] } | { readonly problem: string };

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
