import { accessSync, constants, mkdtempSync, realpathSync, rmdirSync, statSync } from "node:fs";
import { beforeExit, temporaryPath } from "@ikigai/system";
import { UsageError } from "../args/usage-error.ts";

/**
 * The project of a server: `given`, else the working directory.
 *
 * Desktop programs start servers in `/` or in the home directory, where the user has no project: then it is a new empty
 * directory, so that nothing can be read without a rule, and the sandbox does not open the whole home.
 *
 * @throws UsageError if `given` is not a directory that can be read.
 */
export function serveProject(given: string | undefined, { cwd, userHome }: { cwd: string; userHome: string }): string {
  if (given !== undefined) return readableDirectory(given);
  return ["/", realOf(userHome)].includes(realOf(cwd)) ? emptyDirectory() : cwd;
}

function readableDirectory(path: string): string {
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    if (statSync(path).isDirectory()) return realpathSync(path);
  } catch {
    // Reported below.
  }
  throw new UsageError(`Expected --dir to be a directory that can be read, got ${JSON.stringify(path)}.`);
}

function emptyDirectory(): string {
  const path = realpathSync(mkdtempSync(temporaryPath("mcp-")));
  const remove = () => {
    try {
      rmdirSync(path);
    } catch {
      // What calls wrote there stays.
    }
  };
  beforeExit(remove, { isLast: true });
  return path;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
