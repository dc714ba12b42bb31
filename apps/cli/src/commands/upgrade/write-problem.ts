import { accessSync, constants, statSync } from "node:fs";
import { shellWord } from "@ikigai/system";

/** Why the user cannot change the entries of a directory, and what to do; undefined if they can. */
export function writeProblem(directory: string): string | undefined {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `You cannot write to ${directory}${advice(directory, (error as NodeJS.ErrnoException).code)}`;
  }
}

function advice(directory: string, code: string | undefined): string {
  if (code !== "EACCES")
    return ` (${code}). Change ikigai in the way it was put there, for example in the container's image.`;
  const { uid } = statSync(directory);
  if (uid === 0) return ", which belongs to root. Run the command as root, for example with sudo.";
  if (uid === process.getuid?.()) return `, although it is yours. First: chmod u+w ${shellWord(directory)}`;
  return `, which belongs to another user (uid ${uid}). Run the command as that user.`;
}
