import { existsSync, lstatSync } from "node:fs";
import { dirname } from "node:path";
import type { Conversation } from "./conversation.ts";

/** Returns the directory of the files that a session's log names: images, and the old content of files. */
export function filesDir(logPath: string): string {
  return logPath.replace(/\.jsonl$/, ".files");
}

/** Whether a path in a log is that of a file that the session keeps. A log from elsewhere may name any file, or a link to it. */
export function isKeptFile(logPath: string, path: unknown): path is string {
  const directory = filesDir(logPath);
  if (typeof path !== "string" || dirname(path) !== directory) return false;
  try {
    return lstatSync(directory).isDirectory() && lstatSync(path).isFile();
  } catch {
    // Missing, or not a path at all.
    return false;
  }
}

/** Returns the directory of what a session knows about the agents that it has started. */
export function agentsDir(logPath: string): string {
  return logPath.replace(/\.jsonl$/, ".agents");
}

/** Whether a conversation has started agents. */
export function hasAgents({ log }: Conversation): boolean {
  return log.path !== undefined && existsSync(agentsDir(log.path));
}

/** Returns the directory of results that were moved out of a conversation to make room; `undefined` if it is not saved. */
export function outputsDir({ log }: Conversation): string | undefined {
  return log.path && outputsDirOf(log.path);
}

export function outputsDirOf(logPath: string): string {
  return logPath.replace(/\.jsonl$/, ".outputs");
}

/** Returns the directory of what tools keep for the session; `undefined` if it is not saved. It may not exist. */
export function stateDir({ log }: Conversation): string | undefined {
  return log.path && stateDirOf(log.path);
}

export function stateDirOf(logPath: string): string {
  return logPath.replace(/\.jsonl$/, ".state");
}
