/** A program to start. */
export interface Command {
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether stdin is a pipe; otherwise it is at its end. */
  readonly hasInput: boolean;
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

/** This process's working directory; if it was deleted, its former path, so that the error names it. */
export function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD ?? ".";
  }
}
