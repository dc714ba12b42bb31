import { sep } from "node:path";

/** Returns whether a real path is a real directory or inside it. `/proj-evil` is not inside `/proj`. */
export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);
}
