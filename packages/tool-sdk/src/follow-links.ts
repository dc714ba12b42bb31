import { followLinks as follow } from "@ikigai/system";

/**
 * Where a path leads in the end: to the file that opening it would open, or make if a link leads to nothing. Only the last
 * part is followed, and `..` is left to the system, which sees it after the links before it.
 *
 * @throws the system's error (EACCES, …) when a link cannot be read.
 */
export function followLinks(path: string): string {
  return follow(path);
}
