import { basename } from "node:path";
import type { ToolScope } from "@ikigai/protocol";
import { shellWord } from "../../files/shell-word.ts";
import { findProgram } from "../../process/find-program.ts";
import type { Command } from "../../process/start-process.ts";
import { type CallVariables, toolEnvironment, withoutProviderKeys } from "../../process/tool-environment.ts";
import type { Launcher } from "../../registry/launcher.ts";
import { supervisorScript } from "./supervisor-script.ts";

/** What is to be run over there. */
export interface Launched {
  readonly name: string;
  readonly scope: ToolScope;
  readonly args: readonly string[];
  readonly call: CallVariables;
  readonly hasInput: boolean;
  readonly timeoutMs: number;
  /** Here, where the launcher is started. */
  readonly cwd: string;
  /** No program of the project is taken for a launcher. */
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Reads the script from its input: nothing that varies stands in a command line, which others can read, and quoting is moot. */
const entry = 'IFS= read -r s && eval "$s"';

/**
 * The launcher with a shell behind it that runs the tool. The launcher has the user's environment, since it has to find its
 * keys and settings; the tool has what the protocol promises, and otherwise what it finds where it runs.
 */
export function launchedCommand(launcher: Launcher, launched: Launched): Command | { readonly failure: string } {
  const { name, scope, args, call, hasInput, timeoutMs, cwd, projectDir, env } = launched;
  const { path, directory, remoteShell = basename(launcher.argv[0] ?? "") === "ssh" } = launcher;
  const { IKIGAI_PROJECT_DIR, ...variables } = toolEnvironment({}, { name, path, scope }, call) as Record<
    string,
    string
  >;
  const preamble = `${supervisorScript({ path, args, directory, variables, hasInput, timeoutMs })}\n`;
  const [word = "", ...prefix] = launcher.argv;
  const program = findProgram(word, env.PATH, projectDir);
  if (program === undefined) return { failure: `the program ${word}, which its launcher begins with, is not found` };
  const shell = ["sh", "-c", entry];
  return {
    path: program,
    args: [...prefix, ...(remoteShell ? [`sh -c ${shellWord(entry)}`] : shell)],
    cwd,
    env: withoutProviderKeys(env),
    hasInput: true,
    hasProgress: false,
    through: { kind: "launcher", preamble },
  };
}
