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
  const found = [packageRoot(), ...commandRoots(PATH)]
    .map((root) => root && join(root, "libexec/ikigai"))
    .find((directory) => directory !== undefined && existsSync(directory));
  if (found !== undefined) return found;
  throw new AgentError(
    "invalid_option",
    "Found no tools: the command ikigai is not installed. Install @ikigai/cli, or set toolPath to a directory of tools.",
  );
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
