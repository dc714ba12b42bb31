import { loadSpawning } from "./copy-attributes.ts";

/** When a process started, according to `ps`; `undefined` for none or a zombie. For macOS; not tested on Linux. */
export function startedByPs(pid: number): Date | undefined {
  try {
    const { execFileSync } = loadSpawning();
    const [state = "", ...start] = execFileSync("/bin/ps", ["-o", "state=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { LC_ALL: "C", ...(process.env.TZ && { TZ: process.env.TZ }) },
      stdio: ["ignore", "pipe", "ignore"],
    })
      .trim()
      .split(/\s+/);
    const date = new Date(start.join(" "));
    return state.startsWith("Z") || Number.isNaN(date.getTime()) ? undefined : date;
  } catch {
    return undefined;
  }
}
