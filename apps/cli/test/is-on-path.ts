import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Whether a program is on the PATH of the tests. */
export function isOnPath(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((directory) => existsSync(join(directory, program)));
}
