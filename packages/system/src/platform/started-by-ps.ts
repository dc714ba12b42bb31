/** When a process started, according to `ps`; `undefined` for none or a zombie. For macOS; not tested on Linux. */
export function startedByPs(pid: number): Date | undefined {
  try {
    // Loaded here, since that takes 4 ms.
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    const [state = "", ...start] = execFileSync("ps", ["-o", "state=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
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
