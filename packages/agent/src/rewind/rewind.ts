import { chmodSync, copyFileSync, renameSync, rmSync, statSync } from "node:fs";
import type { Conversation } from "../session/conversation.ts";
import { readKeptLines } from "../session/read-kept-lines.ts";
import { readSession } from "../session/read-session.ts";
import { contentHash } from "./checkpoints.ts";

/** Something the user said, to which a conversation can go back. */
export interface UserTurn {
  /** Names the line. */
  readonly seq: number;
  readonly time: Date;
  readonly text: string;
}

/** A file that calls have changed since a message. */
export interface ChangedFile {
  readonly path: string;
  /** Where its old content is; `null` when there was no such file. */
  readonly kept: string | null;
  /** It is not as the last call left it: somebody else has changed it since. */
  readonly isChangedSince: boolean;
}

/**
 * What the user has said in a conversation, and has not taken back.
 *
 * @throws the system's error when the session cannot be read; Error when it is not saved.
 */
export function userTurns(conversation: Conversation): UserTurn[] {
  const turns: UserTurn[] = [];
  for (const event of readKeptLines(pathOf(conversation))) {
    if (event.type === "user") turns.push({ seq: event.seq, time: new Date(event.time), text: event.text });
  }
  return turns;
}

/**
 * Which files calls of `file_write` and `file_edit` have changed since a message. What commands have changed is not known.
 *
 * @throws as `userTurns` does.
 */
export function changedFiles(conversation: Conversation, to: number): ChangedFile[] {
  const files = new Map<string, { kept: string | null; left: string | null | undefined }>();
  for (const event of readKeptLines(pathOf(conversation))) {
    if (event.seq < to) continue;
    const known = "path" in event ? files.get(event.path) : undefined;
    if (event.type === "checkpoint" && !known) files.set(event.path, { kept: event.kept, left: undefined });
    if (event.type === "changed" && known) known.left = event.sha256;
  }
  return [...files].flatMap(([path, { kept, left }]) => {
    const now = contentHash(path);
    if (now === (kept === null ? null : contentHash(kept))) return [];
    return [{ path, kept, isChangedSince: left !== undefined && now !== left }];
  });
}

/**
 * Gives a file its old content back, or removes one that was not there.
 *
 * @throws the system's error; the file is then as it was.
 */
export function restoreFile({ path, kept }: ChangedFile): void {
  if (kept === null) {
    rmSync(path, { force: true });
    return;
  }
  const temporary = `${path}.${process.pid}.${performance.now()}`;
  try {
    copyFileSync(kept, temporary);
    chmodSync(temporary, statSync(path, { throwIfNoEntry: false })?.mode ?? 0o666 & ~process.umask());
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Goes back to before something the user said: the conversation is as it was then. The log keeps everything.
 *
 * @throws as `userTurns` does; Error when the log cannot be written at the moment.
 */
export function rewindConversation(conversation: Conversation, to: number): void {
  const path = pathOf(conversation);
  conversation.log.append({ type: "rewind", to });
  if (conversation.log.problem !== undefined) throw new Error(conversation.log.problem);
  const { messages, measured } = readSession(path);
  conversation.messages.splice(0, conversation.messages.length, ...messages);
  conversation.measured = measured;
}

function pathOf({ log }: Conversation): string {
  if (log.path === undefined) throw new Error(log.problem ?? "This session is not being saved.");
  return log.path;
}
