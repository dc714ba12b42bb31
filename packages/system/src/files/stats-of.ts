import { type Stats, statSync } from "node:fs";

/** The state of a file; `undefined` if it does not exist or cannot be reached. @param stat `lstatSync` to follow no link */
export function statsOf(
  path: string,
  stat: (path: string, options: { throwIfNoEntry: false }) => Stats | undefined = statSync,
): Stats | undefined {
  try {
    // An exception for each missing file would be slow.
    return stat(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
