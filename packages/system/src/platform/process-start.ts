import { readFileSync } from "node:fs";
import { isLinux } from "./platform.ts";
import { isDeadState, readStat } from "./process-stat.ts";
import { startedByPs } from "./started-by-ps.ts";

/** Returns when a running process started; `undefined` if it does not exist or is a zombie. */
export function processStart(pid: number): Date | undefined {
  return isLinux ? startOnLinux(pid) : startedByPs(pid);
}

/** The unit of the kernel's times: USER_HZ is 100 on every architecture Node supports. */
const ticksPerSecond = 100;

function startOnLinux(pid: number): Date | undefined {
  try {
    const found = readStat(pid);
    const bootedAt = /^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1];
    if (found === undefined || isDeadState(found.state) || bootedAt === undefined) return undefined;
    return new Date(1_000 * (Number(bootedAt) + Number(found.startTicks) / ticksPerSecond));
  } catch {
    return undefined;
  }
}
