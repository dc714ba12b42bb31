import { statSync } from "node:fs";
import type { Outcome, RegisteredTool } from "@ikigai/core";
import { declaredAccess } from "@ikigai/permission";
import type { JsonObject } from "@ikigai/protocol";
import type { Conversation } from "@ikigai/session";
import { type CallTouch, touchOf } from "./call-order.ts";

/** Files as the model last saw them: from real path to a value that identifies the content. */
const seenFiles = new WeakMap<Conversation, Map<string, string>>();

/** The files that a file tool's call affects, watched while it runs. */
export interface WatchedCall {
  /** The call has ended: if it succeeded, the model knows the current file. */
  ended(outcome: Outcome): void;
}

/** Records what a call about to run shows the model of a file, or writes to it. */
export function watchFile(
  conversation: Conversation,
  tool: RegisteredTool,
  args: JsonObject,
  cwd: string,
): WatchedCall {
  const { file, writes } = touchOf(tool, args, cwd);
  const before = file === undefined ? undefined : identityOf(file);
  return {
    ended({ envelope }) {
      if (file === undefined || !envelope.tool_success || typeof envelope.result.error === "string") return;
      const seen = seenFiles.get(conversation) ?? new Map<string, string>();
      seenFiles.set(conversation, seen);
      // A read may have missed changes made while it ran.
      const identity = writes ? identityOf(file) : before;
      if (identity !== undefined) seen.set(file, identity);
    },
  };
}

/**
 * Whether a call replaces a whole file that has changed on disk since the model last read or wrote it in this session. An
 * edit cannot lose such a change: it replaces only text that it quotes exactly.
 */
export function replacesUnseen(
  conversation: Conversation,
  tool: RegisteredTool,
  args: JsonObject,
  cwd: string,
): boolean {
  if (declaredAccess(tool).access?.kind !== "write-file") return false;
  const { file }: CallTouch = touchOf(tool, args, cwd);
  const seen = file === undefined ? undefined : seenFiles.get(conversation)?.get(file);
  if (file === undefined || seen === undefined) return false;
  const now = identityOf(file);
  return now !== undefined && now !== seen;
}

/** `undefined` if the file does not exist, so nothing can be lost. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs].join(":");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // A file that cannot be accessed may have changed.
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : `unknown (${code})`;
  }
}
