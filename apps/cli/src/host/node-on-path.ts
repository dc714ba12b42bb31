import { dirname, isAbsolute, join } from "node:path";
import { isProgram } from "@ikigai/system/is-program";

/** The default of shells if PATH is not set. */
const usualPath = "/usr/local/bin:/usr/bin:/bin";

/** Appends the current Node to PATH if PATH has none: the shipped tools begin with `#!/usr/bin/env node`. */
export function putNodeOnPath(env: NodeJS.ProcessEnv): void {
  const path = env.PATH || usualPath;
  // A relative entry could be in the project.
  if (
    path
      .split(":")
      .filter(isAbsolute)
      .some((directory) => isProgram(join(directory, "node")))
  )
    return;
  env.PATH = `${path}:${dirname(process.execPath)}`;
}
