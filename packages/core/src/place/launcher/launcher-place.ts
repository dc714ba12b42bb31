import { basename } from "node:path";
import { findProgram, shellWord } from "@ikigai/system";
import type { Launcher } from "../../registry/registry.ts";
import type { Place } from "../place.ts";
import { withoutProviderKeys } from "../tool-environment.ts";
import { supervisorScript } from "./supervisor-script.ts";

/** Options of a launcher. */
export interface LauncherOptions {
  /** The launcher's program is never taken from this directory. */
  readonly projectDir: string;
  /** The launcher's own environment, with its keys and settings. */
  readonly env: NodeJS.ProcessEnv;
  /** After how long the far side ends the tool, in milliseconds: a connection may be lost without notice. */
  readonly timeoutMs: number;
}

/** Reads the script from stdin: command lines are visible to other users, and this avoids quoting. */
const entry = 'IFS= read -r s && eval "$s"';

/**
 * The far side of a launcher, where a shell runs the tool with the command's variables added to its own environment.
 */
export function launcherPlace(launcher: Launcher, { projectDir, env, timeoutMs }: LauncherOptions): Place {
  const { directory, remoteShell = basename(launcher.argv[0] ?? "") === "ssh" } = launcher;
  return {
    wrap({ path, args, cwd, env: { IKIGAI_PROJECT_DIR, ...rest }, hasInput }) {
      // Built by `commandThere`: it holds only variables meant for the tool.
      const variables = rest as Record<string, string>;
      const [word = "", ...prefix] = launcher.argv;
      const program = findProgram(word, env.PATH, projectDir);
      if (program === undefined) return { failure: `its launcher's program ${word} was not found` };
      const preamble = `${supervisorScript({ path, args, directory, variables, hasInput, timeoutMs })}\n`;
      return {
        path: program,
        args: [...prefix, ...(remoteShell ? [`sh -c ${shellWord(entry)}`] : ["sh", "-c", entry])],
        cwd,
        env: withoutProviderKeys(env),
        hasInput: true,
        hasProgress: false,
        through: { kind: "launcher", preamble },
      };
    },
  };
}
