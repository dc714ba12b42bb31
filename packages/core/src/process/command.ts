/** What is to be started. */
export interface Command {
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether it is given something on stdin; otherwise stdin is at its end. */
  readonly hasInput: boolean;
  /** Whether anybody listens to descriptor 3; otherwise what is written there is gone. */
  readonly hasProgress: boolean;
  /** What can be read on descriptor 4; without it, that is closed. */
  readonly filter?: Uint8Array | undefined;
  /** What stands between the host and the tool, if it is not started directly. */
  readonly through?: Through | undefined;
}

/**
 * A process that starts the tool, waits for it and ends with its exit code. `sandbox`: in the same process group. `launcher`: a
 * shell somewhere else; `preamble` is the script it reads first, and closing its stdin stops it.
 */
export type Through = { readonly kind: "sandbox" } | { readonly kind: "launcher"; readonly preamble: string };

/** Why there is no command, or no process: the end of a sentence. */
export interface Failure {
  readonly failure: string;
}
