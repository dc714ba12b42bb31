import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** The user and group that own nothing. */
export const nobody = 65_534;

/** Only root can become somebody else, who must then be able to run Node and to reach the fixtures. */
export const canBecomeNobody =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, ["-e", `fs.accessSync(${JSON.stringify(join(import.meta.dirname, "fixtures"))})`], {
    uid: nobody,
    gid: nobody,
  }).status === 0;
