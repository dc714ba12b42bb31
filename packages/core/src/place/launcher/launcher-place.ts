import { basename } from "node:path";
import { shellWord } from "@ikigai/system";
import { findProgram } from "../../process/find-program.ts";
import type { Launcher } from "../../registry/launcher.ts";
import type { Place } from "../place.ts";
import { withoutProviderKeys } from "../tool-environment.ts";
import { supervisorScript } from "./supervisor-script.ts";

/** Where a launcher is started, and how long what it starts may take. */
export interface LauncherOptions {
  /** No program of the project is taken for a launcher. */
  readonly projectDir: string;
  /** The launcher's own environment: it has to find its keys and settings. */
  readonly env: NodeJS.ProcessEnv;
  /** After how long the far side ends the tool by itself, in milliseconds: the connection may be lost without a sign. */
  readonly timeoutMs: number;
}

/** Reads the script from its input: nothing that varies stands in a command line, which others can read, and quoting is moot. */
const entry = 'IFS= read -r s && eval "$s"';

/**
 * The far side of a launcher, where a shell runs the tool. The tool is given the command's environment and otherwise what it
 * finds there.
 */
export function launcherPlace(launcher: Launcher, { projectDir, env, timeoutMs }: LauncherOptions): Place {
  const { directory, remoteShell = basename(launcher.argv[0] ?? "") === "ssh" } = launcher;
  return {
    wrap({ path, args, cwd, env: { IKIGAI_PROJECT_DIR, ...rest }, hasInput }) {
      // Made for a tool there, it holds nothing but what the tool is told.
      const variables = rest as Record<string, string>;
      const [word = "", ...prefix] = launcher.argv;
      const program = findProgram(word, env.PATH, projectDir);
      if (program === undefined)
        return { failure: `the program ${word}, which its launcher begins with, is not found` };
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
