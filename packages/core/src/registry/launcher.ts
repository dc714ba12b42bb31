import { shellWord } from "@ikigai/system";

/** Where a tool runs, if not here: a container, another machine, another user. */
export interface Launcher {
  /** What a command line is put behind to be run there, for instance `["ssh", "build-box"]`. At least one word. */
  readonly argv: readonly string[];
  /** The tool's file there. */
  readonly path: string;
  /** The directory it works in there; the one the launcher starts it in unless told. */
  readonly directory?: string | undefined;
  /** Whether a shell there takes the command line apart once more; of `ssh` it is known. */
  readonly remoteShell?: boolean | undefined;
}

/** What people are shown for the tool's file: the words of a command line. */
export function launchedPath({ argv, path }: Launcher): string {
  return [...argv, path].map(shellWord).join(" ");
}
