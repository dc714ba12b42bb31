import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** When a living process began; `undefined` when there is none, or only its corpse. */
export function processStart(pid: number): Date | undefined {
  return process.platform === "linux" ? startOnLinux(pid) : startByPs(pid);
}

/** The kernel counts in these, whatever its own clock does: USER_HZ is 100 on every architecture Node runs on. */
const ticksPerSecond = 100;

function startOnLinux(pid: number): Date | undefined {
  try {
    // The name, in parentheses, may hold anything; the first field after it is the state, the 20th the start.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    const bootedAt = /^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1];
    if (fields[0] === "Z" || fields[19] === undefined || bootedAt === undefined) return undefined;
    return new Date(1_000 * (Number(bootedAt) + Number(fields[19]) / ticksPerSecond));
  } catch {
    return undefined;
  }
}

/** macOS has no /proc. Not run by the tests on Linux. */
function startByPs(pid: number): Date | undefined {
  try {
    const [state = "", ...start] = execFileSync("ps", ["-o", "state=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
    })
      .trim()
      .split(/\s+/);
    const date = new Date(start.join(" "));
    return state.startsWith("Z") || Number.isNaN(date.getTime()) ? undefined : date;
  } catch {
    return undefined;
  }
}
