import { statSync } from "node:fs";
import { quotePath } from "./search-gaps.ts";

/** Says that a path does not exist; `undefined` if it does, if it is empty, or if that is unknown. Never throws. */
export function describeMissing(path: string): string | undefined {
  if (path === "") return undefined;
  try {
    return statSync(path, { throwIfNoEntry: false }) ? undefined : `${quotePath(path)} does not exist.`;
  } catch {
    return undefined;
  }
}
