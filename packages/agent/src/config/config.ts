import type { ProviderName } from "../model/provider-table.ts";
import type { PermissionMode, PermissionRule } from "../permission/permission.ts";

/** How a provider is reached, where the environment does not say. */
export interface ProviderConfig {
  readonly apiKey?: string;
  /** With or without the version path. */
  readonly baseUrl?: string;
}

/** How the calls of one tool are made. */
export interface ToolConfig {
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  /** Whether it runs in the sandbox, whatever holds for the others. */
  readonly sandbox?: boolean;
  /** Whether it may reach the network from there. */
  readonly network?: boolean;
  /** What its command line is put behind, so that it runs somewhere else. */
  readonly launcher?: readonly string[];
  /** Its file there. */
  readonly path?: string;
  /** The directory it works in there. */
  readonly directory?: string;
  /** Whether the launcher hands the command line to a shell there, as ssh does. */
  readonly remoteShell?: boolean;
}

/** What may run without a question. */
export interface PermissionConfig {
  readonly mode?: PermissionMode;
  readonly rules?: readonly PermissionRule[];
  /** Whether commands that only read inside the project need no question; they need none unless told. */
  readonly readOnlyCommands?: boolean;
}

/** The sandbox that tools run in. A path may begin with `~/`. */
export interface SandboxConfig {
  readonly enabled?: boolean;
  readonly network?: boolean;
  /** What may be changed besides the project. */
  readonly writable?: readonly string[];
  /** What is shown although it holds secrets. */
  readonly readable?: readonly string[];
  /** What is hidden besides the usual places of secrets. */
  readonly hidden?: readonly string[];
  /** Whether git may write to the project's repository. */
  readonly git?: boolean;
  /** Variables that tools are given although they look like secrets. A name may end in `*`. */
  readonly env?: readonly string[];
  /** Whether tools may make and connect to sockets of the file system. */
  readonly sockets?: boolean;
}

/** How patient to be with a model server. */
export interface PatienceConfig {
  /** How long until the first data may take, in milliseconds. */
  readonly firstByteTimeoutMs?: number;
  /** How long a stream may be silent, in milliseconds. */
  readonly idleTimeoutMs?: number;
  /** Whether a ping counts as data: some gateways send nothing else while a model thinks. */
  readonly pingsCount?: boolean;
  /** How often a request is sent again, at most. */
  readonly maxRetries?: number;
  /** How long to wait before the first of them, in milliseconds; it doubles each time. */
  readonly firstRetryMs?: number;
  /** The longest wait a server may ask for, in milliseconds; what asks for more fails at once. */
  readonly maxRetryAfterMs?: number;
}

/** How the REPL looks and sounds. */
export interface ScreenConfig {
  /** `auto`, which is the default, asks the terminal. */
  readonly theme?: "auto" | "light" | "dark";
  /** Whether it rings when an answer is there, or somebody is asked; it does unless told. */
  readonly bell?: boolean;
  /** Whether the screen is a full one also with `LANG=C`, which gets no escape sequence else; it is not unless told. */
  readonly full?: boolean;
  /** Whether the window is named; it is unless told. */
  readonly title?: boolean;
}

/** The user's `config.json`. A project has none: nothing in a project sets an address, a key or a permission. */
export interface Config {
  /** `provider/model`. */
  readonly model?: string;
  readonly providers?: Readonly<Partial<Record<ProviderName, ProviderConfig>>>;
  readonly permission?: PermissionConfig;
  readonly tools?: Readonly<Record<string, ToolConfig>>;
  readonly sandbox?: SandboxConfig;
  readonly patience?: PatienceConfig;
  /** How many requests one turn may take. */
  readonly maxSteps?: number;
  readonly screen?: ScreenConfig;
}

/** A place in a file. */
export interface ConfigPlace {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** The line, and a second one with a caret below the place. */
  readonly excerpt: string;
}

/** What is wrong with the configuration: where, and what was expected, what came and what to do. */
export interface ConfigProblem {
  readonly path: string;
  /** The key it is about, if it is about one. */
  readonly key?: string;
  readonly message: string;
  /** Where it is, if the file could be read. */
  readonly place?: ConfigPlace;
  /** Nothing may run: the file cannot be read, or a limit that it sets is not clear. */
  readonly isFatal: boolean;
}

/** What `config.json` says. */
export interface LoadedConfig {
  readonly path: string;
  readonly config: Config;
  /** What was wrong was left out of `config`. */
  readonly problems: readonly ConfigProblem[];
  /** The file mentions a key of a provider, so it is nobody else's to read. */
  readonly holdsKey: boolean;
}
