import { accessSync, constants, statSync } from "node:fs";
import { shellWord } from "../text/shell-word.ts";

/** Why this user cannot execute a file, as the end of a sentence, and a command or words that tell what to do. */
export interface ExecutionProblem {
  readonly why: string;
  readonly remedy: string;
}

/**
 * Says why this user cannot execute a file; `undefined` if they can.
 *
 * @throws the system's error if the file is missing or cannot be reached.
 */
export function executionProblem(path: string): ExecutionProblem | undefined {
  const { mode, uid } = statSync(path);
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch {
    // With this mode, only the file system can forbid it.
    const needed = uid === process.geteuid?.() ? 0o100 : 0o111;
    if ((mode & needed) !== needed) return { why: "it is not executable", remedy: `chmod +x ${shellWord(path)}` };
    const remedy = "keep it on another one (IKIGAI_HOME names the directory for your own tools)";
    return { why: "its file system is mounted noexec, so no program on it can be started", remedy };
  }
}
