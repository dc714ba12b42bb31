import type { Command } from "@ikigai/sandbox";
import { signalGroup } from "@ikigai/system";
import { type Started, startProcess, type ToolProcess } from "../process/start-process.ts";
import { forgetGroup, guardGroup, startWatchdog } from "./watchdog.ts";

/** Starts a program that is killed when this host ends. Never throws. */
export async function startGuarded(command: Command): Promise<Started> {
  // First, or a process would outlive a host that is killed before it starts the watchdog.
  startWatchdog();
  const started = await startProcess(command);
  if ("process" in started) guardGroup(started.process.pid);
  return started;
}

/** Kills a waiting process and its group. SIGKILL before its stdin is closed: an empty input must never look like a call. */
export function killGuarded({ pid, stdin, stdout, stderr, progress }: ToolProcess): void {
  signalGroup(pid, "SIGKILL");
  forgetGroup(pid);
  for (const stream of [stdin, stdout, stderr, progress]) stream?.destroy();
}
