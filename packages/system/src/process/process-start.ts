import { readFileSync } from "node:fs";
import { isDeadState, readStat } from "./process-stat.ts";
import { startedByPs } from "./started-by-ps.ts";

/** When a living process began; `undefined` when there is none, or only its corpse. */
export function processStart(pid: number): Date | undefined {
  return process.platform === "linux" ? startOnLinux(pid) : startedByPs(pid);
}

/** The kernel counts in these, whatever its own clock does: USER_HZ is 100 on every architecture Node runs on. */
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
