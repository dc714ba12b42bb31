// The words of this package: where a tool runs if it is not started directly, what the user grants it there, and what one process may do.

import type { Traffic } from "@ikigai/http/door";
import type { PathRule } from "./decisive-files.ts";

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
  traffic(): readonly Traffic[];
  /** Ends it. The next start makes a new one. */
  close(): void;
}

/** What the user grants to a tool in the sandbox; the same for all calls of the tool. All paths are absolute. */
export interface SandboxSettings {
  /** The user's directory (`~/.ikigai`). Hidden, except for the tools in it. */
  readonly home: string;
  /** The user's home directory. Visible, except for the usual places of secrets. */
  readonly userHome: string;
  /**
   * Whether the tool only reads: nothing but its temporary files and its session's state can be changed, and there is no network.
   * Default: false.
   */
  readonly isReadOnly?: boolean | undefined;
  /** Whether all hosts on the internet can be reached: through the door, or without one over the machine's network. */
  readonly network: boolean;
  /** The network of the session, whose door decides about hosts. Default: without `network` nothing can be reached, not even localhost. */
  readonly door?: SessionNetwork | undefined;
  /** Directories that count as the project, too: without links. */
  readonly directories?: readonly string[] | undefined;
  /** Directories besides the project that may be changed. */
  readonly writable: readonly string[];
  /** Places that are shown although they are hidden by default. */
  readonly readable: readonly string[];
  /** Additional places that are hidden. */
  readonly hidden: readonly string[];
  /** Rules about places: what `deny` names is hidden, what `ask` names is read-only. */
  readonly pathRules?: readonly PathRule[] | undefined;
  /**
   * Whether git may write to the project's repository. `committing`: only git commands that record work run in this place. Default:
   * read-only.
   */
  readonly git?: boolean | "committing" | undefined;
  /** Whether `git` is a program that asks the host, through the door, to record work. Default: git itself. */
  readonly asksForGit?: boolean | undefined;
  /** Names of variables that tools get besides those that programs need; a name may end in `*`. */
  readonly env?: readonly string[] | undefined;
  /** Whether Unix sockets can be created and connected to. Default: false. */
  readonly sockets?: boolean | undefined;
}

/** A harmless file with this content, or without `content` a directory. */
export interface Placeholder {
  readonly path: string;
  readonly content?: string | undefined;
  /** Whether no one may enter the directory. */
  readonly isClosed?: boolean | undefined;
}

/** What the host does with paths where nothing exists: only existing ones can be protected. */
export interface Placeholders {
  /**
   * Creates a placeholder, which is gone when its last host has ended, however that ends.
   *
   * @param home the user's directory, where hosts record their placeholders.
   * @returns whether something exists there now. Where this process may create nothing, its tools cannot either.
   * @throws Error, a sentence for people, if it cannot be recorded; the system's error for other failures.
   */
  hold(place: Placeholder, home: string): boolean;
  /** Takes over a placeholder of a host that did not clean up. Paths without a record are the user's own. */
  adopt(path: string, home: string): void;
}

/** What a single process may do. */
export interface SandboxPolicy extends SandboxSettings {
  /** Writable unless the tool only reads, except for what decides what runs: `.ikigai`, git's hooks and configuration. */
  readonly projectDir: string;
  readonly cwd: string;
  /** The host's environment: it points to secrets, and to the configuration of git and of this program. */
  readonly environment: NodeJS.ProcessEnv;
  /** A private directory mounted over the system's temporary ones. */
  readonly temporaryDir: string;
  /** Files that must be visible for the tool to start: its own, and a link's target. */
  readonly toolFiles: readonly string[];
  /** The tool's data directory, which it may change although it is in the user's hidden one; if it only reads, it sees it. */
  readonly dataDir?: string | undefined;
  /** The session's directory for tools that keep something, which they may always change. */
  readonly stateDir?: string | undefined;
  /** The session's directory for what tools leave out of their answers, which the tool may always change. */
  readonly outputsDir?: string | undefined;
  readonly placeholders: Placeholders;
}

/** The words to put before a command line to run it in a sandbox, or why that is impossible: the end of a sentence. */
export type SandboxPrefix =
  | {
      readonly argv: readonly string[];
      /** What the command line sees. Linux only. */
      readonly views?: Inside["views"];
      /** Content of descriptor `filterFd`: a seccomp program. */
      readonly filter?: Buffer | undefined;
    }
  | { readonly problem: string };

/** The descriptor after the one for progress. */
export const filterFd = 4;
