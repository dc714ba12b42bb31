/** What the user grants to a tool in the sandbox. The same for all calls of a tool. */
export interface SandboxSettings {
  /** The user's own directory of ikigai: only the tools in it are shown. */
  readonly home: string;
  /** The user's home directory, in which the usual places of secrets are hidden. */
  readonly userHome: string;
  /** Whether the network may be reached; without it not even the machine's own. */
  readonly network: boolean;
  /** Directories besides the project that may be changed; absolute. */
  readonly writable: readonly string[];
  /** Places that are shown although they are secret by default; absolute. */
  readonly readable: readonly string[];
  /** More places that are hidden; absolute. */
  readonly hidden: readonly string[];
  /** Whether git may write to the project's repository; without it the repository can only be read. */
  readonly git?: boolean | undefined;
  /** Names of variables that tools are given although they look like secrets; one may end in `*`. */
  readonly env?: readonly string[] | undefined;
  /** Whether sockets of the file system may be made and connected to. */
  readonly sockets?: boolean | undefined;
}

/** What one process may do. */
export interface SandboxPolicy extends SandboxSettings {
  /** May be changed, but for what decides what runs: `.ikigai`, git's hooks and configuration. */
  readonly projectDir: string;
  /** Whether even the project is only shown: a tool that is asked for its schema has nothing to change. */
  readonly isReadOnly: boolean;
  readonly cwd: string;
  /** The host's environment: it names secret places, and where git and this program are configured. */
  readonly environment: NodeJS.ProcessEnv;
  /** A private directory that takes the place of the system's temporary ones. */
  readonly temporaryDir: string;
  /** What has to be seen for the tool to start: its file, and the file a link leads to. */
  readonly toolFiles: readonly string[];
}

/** What runs a command line in a sandbox when it is put before it, or why there is none: the end of a sentence. */
export type SandboxPrefix =
  | {
      readonly argv: readonly [string, ...string[]];
      /** What it reads on descriptor 4 (`filterFd`): a program for the kernel. Without it, nothing. */
      readonly filter?: Buffer | undefined;
    }
  | { readonly problem: string };

/** Behind the one for progress. */
export const filterFd = 4;
