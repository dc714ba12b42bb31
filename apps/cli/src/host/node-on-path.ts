import { accessSync, constants, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

/** What a shell looks through when PATH is not set. */
const usualPath = "/usr/local/bin:/usr/bin:/bin";

/** The tools of ikigai begin with `#!/usr/bin/env node`: where PATH has no node, the one that runs now is put at its end. */
export function putNodeOnPath(env: NodeJS.ProcessEnv): void {
  const path = env.PATH || usualPath;
  // A relative entry would be the project's.
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
