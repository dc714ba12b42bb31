import { basename } from "node:path";
import { realPathOf } from "../files/real-path-of.ts";

/** The name of the shell that `/bin/sh` is on this system, for instance `dash`; `sh` if it has no other. */
export function standardShell(): string {
  return basename(realPathOf("/bin/sh"));
}
