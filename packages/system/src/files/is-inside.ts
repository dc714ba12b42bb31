import { sep } from "node:path";

/** Whether a real path is a real directory or lies in it. `/proj-evil` is not inside `/proj`. */
export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);
}
