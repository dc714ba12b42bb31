import { shellWord } from "@ikigai/system";

/** Where a tool runs if not locally: a container, another machine, another user. */
export interface Launcher {
  /** Command prefix that runs a command line there, for instance `["ssh", "build-box"]`. At least one word. */
  readonly argv: readonly string[];
  /** Path of the tool's file there. */
  readonly path: string;
  /** Working directory there. Default: the one the launcher starts in. */
  readonly directory?: string | undefined;
  /** Whether a shell there parses the command line once more. Default: true for `ssh`, otherwise false. */
  readonly remoteShell?: boolean | undefined;
}

/** Returns the command line that is shown to people in place of the tool's path. */
export function launchedPath({ argv, path }: Launcher): string {
  return [...argv, path].map(shellWord).join(" ");
}
