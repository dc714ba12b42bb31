import { basename, isAbsolute } from "node:path";
import { standardShell } from "@ikigai/system";

/** A shell, and how it is started for one command. */
export interface ShellProgram extends ShellWords {
  readonly path: string;
  /** The name under which it is started, with which its messages begin. */
  readonly name: string;
  /** Where commands run. Default: this process's directory. */
  readonly directory?: string | undefined;
}

interface ShellWords {
  /** Arguments for a command, which may begin with a dash. */
  readonly forCommand: (command: string) => readonly string[];
  /**
   * Closes descriptor 3, in front of a command that is read from there: on its first line, so that line numbers in messages stay
   * correct. fish cannot close it; its commands inherit an unlinked file.
   */
  readonly closeScript: string;
  /** The command with stderr going to stdout. */
  readonly withJoinedOutput: (command: string) => string;
}

const sh: ShellWords = {
  forCommand: (command) => ["-c", "--", command],
  closeScript: "exec 3<&-; ",
  withJoinedOutput: (command) => `exec 2>&1; ${command}`,
};

/** Without the user's configuration, which could print, or change what commands mean. */
const shells: Readonly<Record<string, ShellWords>> = {
  // Under sshd, Debian's bash reads .bashrc also for -c.
  bash: { ...sh, forCommand: (command) => ["--noprofile", "--norc", "-c", "--", command] },
  sh,
  dash: sh,
  zsh: { ...sh, forCommand: (command) => ["-f", "-c", "--", command] },
  fish: {
    forCommand: (command) => ["--no-config", `--command=${command}`],
    closeScript: "",
    withJoinedOutput: (command) => `begin; ${command}\nend 2>&1`,
  },
};

/** Returns the shell that runs commands: the one in `IKIGAI_SHELL`, or the standard one; or what is wrong with that variable, as a sentence. */
export function shellProgram(env: NodeJS.ProcessEnv = process.env): ShellProgram | { readonly failure: string } {
  const path = env.IKIGAI_SHELL || ownShell(env);
  const name = basename(path);
  const words = Object.hasOwn(shells, name) && isAbsolute(path) ? shells[name] : undefined;
  if (words) return { path, name, ...words };
  const known = Object.keys(shells).join(", ");
  return { failure: `IKIGAI_SHELL must be the absolute path of one of ${known}, got ${JSON.stringify(path)}` };
}

/** Found once: a process serves one project, with one PATH. */
let standard: string | undefined;

function ownShell(env: NodeJS.ProcessEnv): string {
  standard ??= standardShell(env.PATH, currentDirectory());
  return standard;
}

/** Commands run also in a directory that has been removed; nothing can be in it. */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return "/";
  }
}
