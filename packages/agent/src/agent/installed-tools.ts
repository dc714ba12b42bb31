import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentError } from "../model/agent-error.ts";
import { existingDirectory } from "./check-options.ts";

/**
 * Finds the tools of the installed command: `IKIGAI_LIBEXEC`, else those of the package `@ikigai/cli` next to this library, else
 * those of `ikigai` on the PATH.
 *
 * @throws AgentError `invalid_option` if no tool is installed, or `IKIGAI_LIBEXEC` is not a directory.
 */
export function installedTools({ IKIGAI_LIBEXEC, PATH = "" }: NodeJS.ProcessEnv): string {
  if (IKIGAI_LIBEXEC) return existingDirectory("IKIGAI_LIBEXEC", IKIGAI_LIBEXEC);
  const places = [packageRoot(), ...commandRoots(PATH)].flatMap((root) => root ?? []).map(toolsBelow);
  const found = places.find((directory) => existsSync(directory));
  if (found !== undefined) return found;
  const [place] = places;
  // A script of the user that starts the command has no tools beside it.
  const problem =
    place === undefined
      ? "the command ikigai is not installed. Install @ikigai/cli, or"
      : `there is an ikigai on the PATH, but no ${place}, where the tools of @ikigai/cli would be. If it is a script that starts another file,`;
  throw new AgentError("invalid_option", `Found no tools: ${problem} set toolPath to a directory of tools.`);
}

function toolsBelow(root: string): string {
  return join(root, "libexec/ikigai");
}

function packageRoot(): string | undefined {
  try {
    return dirname(fileURLToPath(import.meta.resolve("@ikigai/cli/package.json")));
  } catch {
    return undefined;
  }
}

/** Where the commands `ikigai` of the PATH are installed: the command is `dist/ikigai.js` of its package. */
function commandRoots(path: string): string[] {
  // A relative directory is the project's, whose tools need trust.
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .flatMap((directory) => {
      try {
        return [dirname(dirname(realpathSync(join(directory, "ikigai"))))];
      } catch {
        return [];
      }
    });
}
