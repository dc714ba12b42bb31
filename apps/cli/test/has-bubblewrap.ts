import { spawnSync } from "node:child_process";

/** Whether bubblewrap works here. */
export const hasBubblewrap = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user-try", "true"]).status === 0;
