import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Those of these programs that are not on the PATH. Never throws. */
export function missingPrograms(programs: readonly string[], { PATH = "" }: NodeJS.ProcessEnv): string[] {
  const directories = PATH.split(delimiter);
  return programs.filter((program) => !directories.some((directory) => isExecutable(join(directory, program))));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
