import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { childStdio } from "@ikigai/core";
import { readProcess } from "../session/read-process.ts";

/** When a living process began; `undefined` when there is none, or only its corpse. */
export function processStart(pid: number): Date | undefined {
  return process.platform === "linux" ? startOnLinux(pid) : startByPs(pid);
}

/** The kernel counts in these, whatever its own clock does: USER_HZ is 100 on every architecture Node runs on. */
const ticksPerSecond = 100;

function startOnLinux(pid: number): Date | undefined {
  try {
    const found = readProcess(pid);
    const bootedAt = /^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1];
    if (found === undefined || found.state === "Z" || bootedAt === undefined) return undefined;
    return new Date(1_000 * (Number(bootedAt) + Number(found.startTicks) / ticksPerSecond));
  } catch {
    return undefined;
  }
}

/** macOS has no /proc. Not run by the tests on Linux. */
function startByPs(pid: number): Date | undefined {
  try {
    const [state = "", ...start] = execFileSync("ps", ["-o", "state=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: childStdio("ignore", "pipe", "ignore"),
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
