import { createHash, randomBytes } from "node:crypto";
import { chmodSync, constants, copyFileSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory, readRegularFile } from "@ikigai/core";
import { realTarget } from "../permission/real-target.ts";
import { filesDir } from "../session/beside-log.ts";
import type { Conversation } from "../session/conversation.ts";
import type { SessionEvent } from "../session/session-event.ts";

type Checkpoint = Extract<SessionEvent, { type: "checkpoint" }>;

const editors = new Set(["file_write", "file_edit"]);

/** Larger files are not kept, in bytes: a copy before each edit would fill the disk. */
const maxKeptBytes = 50 * 1_048_576;

export interface CheckedCall {
  readonly id: string;
  readonly name: string;
  /** A JSON object. */
  readonly json: string;
  readonly cwd: string;
}

/**
 * Keeps what a file holds before a call of `file_write` or `file_edit` changes it. `undefined` when there is nothing to
 * keep: another tool, no saved session, a path that is no file, a file of over 50 MiB.
 *
 * @throws the system's error when the content cannot be kept.
 */
export function keepCheckpoint({ log }: Conversation, { id, name, json, cwd }: CheckedCall): Checkpoint | undefined {
  const path = editors.has(name) && log.path ? pathIn(json, cwd) : undefined;
  if (path === undefined || !log.path) return undefined;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { type: "checkpoint", id, path, kept: null };
  if (!stats.isFile() || stats.size > maxKeptBytes) return undefined;
  const directory = filesDir(log.path);
  makePrivateDirectory(directory);
  const kept = join(directory, randomBytes(8).toString("hex"));
  copyFileSync(path, kept, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  chmodSync(kept, 0o600);
  return { type: "checkpoint", id, path, kept };
}

/** What a file holds, as a SHA-256; `null` when there is none. */
export function contentHash(path: string): string | null {
  try {
    return createHash("sha256").update(readRegularFile(path)).digest("hex");
  } catch {
    return null;
  }
}

function pathIn(json: string, cwd: string): string | undefined {
  const { file_path: path } = JSON.parse(json) as { file_path?: unknown };
  return typeof path === "string" && path !== "" ? realTarget(path, cwd) : undefined;
}
