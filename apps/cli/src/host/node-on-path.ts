import { accessSync, constants, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

/** The default of shells if PATH is not set. */
const usualPath = "/usr/local/bin:/usr/bin:/bin";

/** Appends the current Node to PATH if PATH has none: the shipped tools begin with `#!/usr/bin/env node`. */
export function putNodeOnPath(env: NodeJS.ProcessEnv): void {
  const path = env.PATH || usualPath;
  // A relative entry could be in the project.
  if (path.split(":").filter(isAbsolute).some(hasNode)) return;
  env.PATH = `${path}:${dirname(process.execPath)}`;
}

function hasNode(directory: string): boolean {
  const file = join(directory, "node");
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
