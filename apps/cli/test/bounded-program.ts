import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { signalGroup } from "@ikigai/system";

/** What another agent may take for a task with a scripted model, in milliseconds: the slowest needs 20 s, on a loaded machine more. */
export const boundMs = 180_000;

/** How long to read on after its exit, in milliseconds: programs that it has left running may hold its output. */
const drainMs = 250;

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs a program without input that may hang, and ends what it leaves running. Returns what it printed.
 *
 * @throws Error with what it printed if it has not ended in time.
 */
export async function runBounded(file: string, args: readonly string[], options: ProgramOptions): Promise<string> {
  const child = spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  const closed = new Promise<void>((settle) => child.once("close", () => settle()));
  const exited = new Promise<void>((settle, fail) => {
    child.once("exit", () => settle());
    child.once("error", fail);
  });
  const timer = new AbortController();
  const late = sleep(boundMs, "late", { signal: timer.signal }).catch(() => "");
  try {
    const end = await Promise.race([exited, late]);
    if (end === "late") throw new Error(`${file} did not end within ${boundMs / 1_000} s. It printed: ${printed}`);
    await Promise.race([closed, sleep(drainMs)]);
    return printed;
  } finally {
    timer.abort();
    if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
    child.stdout.destroy();
    child.stderr.destroy();
  }
}
