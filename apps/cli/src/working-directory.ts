import { printError } from "./print-out.ts";

/** Where ikigai was started; undefined, and said, when that directory has been removed. */
export function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    printError("The directory you are in does not exist any more. Change to another one and start again.\n");
    return undefined;
  }
}
