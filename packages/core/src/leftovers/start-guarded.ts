import type { Command } from "../process/command.ts";
import { type Started, startProcess } from "../process/start-process.ts";
import { guardGroup } from "./watchdog.ts";

/** Starts a program that is killed when this host ends. Never throws. */
export async function startGuarded(command: Command): Promise<Started> {
  const started = await startProcess(command);
  if ("process" in started) guardGroup(started.process.pid);
  return started;
}
