import { createHash, randomBytes } from "node:crypto";
import { chmodSync, closeSync, constants, copyFileSync, fstatSync, lstatSync, openSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import { type ExpectedCall, mayChange } from "@ikigai/core/internal";
import { argumentsRead, changesFile, declaredAccess, fileTarget } from "@ikigai/permission";
import type { JsonObject } from "@ikigai/protocol";
import { descriptorPath, makePrivateDirectory, readRegularFile } from "@ikigai/system";
import type { Conversation } from "../session/conversation.ts";
import type { SessionEvent } from "../session/session-event.ts";
import { filesDir } from "../session/session-files.ts";
import { type HeldDirectory, holdDirectory } from "./held-directory.ts";

type Checkpoint = Extract<SessionEvent, { type: "checkpoint" }>;

/** Larger files are not saved, in bytes: a copy before each edit would fill the disk. */
const maxKeptBytes = 50 * 1_048_576;

export interface CheckedCall {
  readonly id: string;
  readonly tool: RegisteredTool;
  readonly args: JsonObject;
  readonly circumstances: Pick<ExpectedCall, "cwd" | "projectDir" | "env" | "sandbox">;
}

/**
 * Saves a file's content before a call changes it. `undefined` if there is nothing to save: the tool changes no file that it
 * names, the session is not saved, the path is not a file, the file exceeds 50 MiB, or the call's sandbox makes it
 * read-only.
 *
 * @throws the system's error if the content cannot be saved.
 */
export function keepCheckpoint({ log }: Conversation, call: CheckedCall): Checkpoint | undefined {
  const path = log.path ? pathIn(call) : undefined;
  if (path === undefined || !log.path) return undefined;
  // Without its directory the call cannot create a file.
  if (!lstatSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) return undefined;
  using parent = holdDirectory(dirname(path));
  const place = { type: "checkpoint", id: call.id, path, parent: parent.identity } as const;
  const stats = lstatSync(join(parent.path, basename(path)), { throwIfNoEntry: false });
  if (stats === undefined) return { ...place, kept: null };
  if (!stats.isFile() || stats.size > maxKeptBytes) return undefined;
  const directory = filesDir(log.path);
  makePrivateDirectory(directory);
  const kept = join(directory, randomBytes(8).toString("hex"));
  const { mode, uid, gid } = copyFrom(parent, basename(path), kept);
  return { ...place, kept, mode: mode & 0o7777, uid, gid };
}

/** Copies a file that cannot be replaced with a symlink meanwhile. */
function copyFrom(parent: HeldDirectory, name: string, to: string): Stats {
  const path = join(parent.path, name);
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    copyFileSync(descriptorPath(fd) ?? path, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    chmodSync(to, 0o600);
    return fstatSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Returns the SHA-256 of a file's content; `null` if it does not exist. */
export function contentHash(path: string): string | null {
  try {
    return createHash("sha256").update(readRegularFile(path)).digest("hex");
  } catch {
    return null;
  }
}

/** Returns the file that a call names, symlinks resolved, if the call can change it. */
function pathIn({ tool, args, circumstances }: CheckedCall): string | undefined {
  const declared = declaredAccess(tool);
  const { access } = declared;
  if (!changesFile(access)) return undefined;
  const { cwd, projectDir, sandbox, env = process.env } = circumstances;
  const named = argumentsRead(args, declared)[access.path];
  const path = typeof named === "string" && named !== "" ? fileTarget(named, declared, cwd) : undefined;
  if (path === undefined || !sandbox) return path;
  return mayChange(path, sandbox, { projectDir, cwd, env }) ? path : undefined;
}
