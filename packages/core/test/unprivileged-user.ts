import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** The id of the user and group nobody, which own nothing. */
export const unprivileged = 65_534;

/** Only root can become another user, who must then be able to run Node and to reach the fixtures. */
export const canDropPrivileges =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, ["-e", `fs.accessSync(${JSON.stringify(join(import.meta.dirname, "fixtures"))})`], {
    uid: unprivileged,
    gid: unprivileged,
  }).status === 0;
