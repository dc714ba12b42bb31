// Whether a call may use a process that is already there: what must be equal, what a user or a launcher has against it, and whether there is
// memory for processes that wait.

import { statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Command } from "@ikigai/sandbox";
import { isProgram, readFirstLine, readOften } from "@ikigai/system";
import type { ServedCircumstances } from "../call/worker-types.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { stampAt } from "../registry/stamps.ts";

/** Everything that must be equal for a waiting process to take a call: program, directory, environment, sandbox. */
export function processKey({ path, args, cwd, env, hasProgress, through }: Command, toolPath: string): string {
  return JSON.stringify([path, args, stampAt(toolPath), cwd, directoryAt(cwd), hasProgress, through, env]);
}

/** The key of a process that answers several calls, also over minutes: with the umask and the state of the interpreter. */
export function servedKey(command: Command, toolPath: string): string {
  const interpreter = interpreterOf(command, toolPath);
  return `${processKey(command, toolPath)}${umask()}${interpreter === undefined ? "" : stampAt(interpreter)}`;
}

/** Identifies the directory itself: it may have been replaced, and a process stays in the old one. */
function directoryAt(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return `${stat?.dev}.${stat?.ino}`;
  } catch (error) {
    // A parent that cannot be searched: the start will fail and say why.
    return String((error as NodeJS.ErrnoException).code);
  }
}

/** Linux only. `process.umask()` would change it for a moment, also for files that other threads are creating. */
function umask(): string {
  return /^Umask:\s*(\d+)/m.exec(readOften("/proc/self/status") ?? "")?.[1] ?? "";
}

const interpreters = new Map<string, string | undefined>();

/** Returns the program that runs a script; `undefined` for a binary. Cached: searching the PATH costs more than the rest. */
function interpreterOf({ path, env }: Command, toolPath: string): string | undefined {
  if (path !== toolPath) return path;
  const key = `${stampAt(toolPath)}\0${env.PATH ?? ""}`;
  if (!interpreters.has(key)) interpreters.set(key, findInterpreter(toolPath, env.PATH ?? ""));
  return interpreters.get(key);
}

function findInterpreter(path: string, searchPath: string): string | undefined {
  const { interpreter = "", program = interpreter } = readFirstLine(path) ?? {};
  if (program === "" || isAbsolute(program)) return program || undefined;
  const places = searchPath.split(delimiter).filter((directory) => directory !== "");
  return places.map((directory) => join(directory, program)).find(isProgram);
}

/** What keeps the calls of a tool away from any process that stays. */
export function whyAlone(
  { name, launcher }: RegisteredTool,
  { env = process.env, serve }: ServedCircumstances,
): string | undefined {
  if (launcher) return "it has a launcher";
  if (serve === false) return `tools.${name}.serve is false in your configuration`;
  return env.IKIGAI_NO_SERVE === "1" ? "IKIGAI_NO_SERVE is set" : undefined;
}

/** Below this much available memory, in bytes, no process is kept. */
const scarceBytes = 268_435_456;

/** Whether so little memory is available that no process is kept waiting. */
export function isMemoryScarce(): boolean {
  return process.availableMemory() < scarceBytes;
}
