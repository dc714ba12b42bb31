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
}

/** What one process may do. */
export interface SandboxPolicy extends SandboxSettings {
  /** May be changed, but for what decides what runs: `.ikigai`, git's hooks and configuration. */
  readonly projectDir: string;
  /** Whether even the project is only shown: a tool that is asked for its schema has nothing to change. */
  readonly isReadOnly: boolean;
  readonly cwd: string;
  /** A private directory that takes the place of the system's temporary ones. */
  readonly temporaryDir: string;
  /** What has to be seen for the tool to start: its file, and the file a link leads to. */
  readonly toolFiles: readonly string[];
}

/** A command line that runs another one in a sandbox, or why there is none: the end of a sentence. */
export type Wrapped = { readonly argv: readonly [string, ...string[]] } | { readonly problem: string };
