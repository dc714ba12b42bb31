// The files of a call. In order: those that it affects, and the order of calls that follows from them; the file that it may change;
// and which files the model has seen as they are now.

import { statSync } from "node:fs";
import type { Outcome, RegisteredTool } from "@ikigai/core";
import { type ExpectedCall, mayChange } from "@ikigai/core/internal";
import { argumentsRead, changesFile, declaredAccess, fileTarget, isFileAccess } from "@ikigai/permission";
import type { JsonObject } from "@ikigai/protocol";
import type { Conversation } from "@ikigai/session";

/** The files that a call affects. */
export interface CallTouch {
  /** The file it names, symlinks resolved; for a write whose path leads nowhere, the path as written. */
  readonly file?: string;
  readonly writes: boolean;
  /** Whether it runs a command, which may have been judged by the files that are there now. */
  readonly runs: boolean;
}

/** @param tool `undefined` if no tool has the name that was called. */
export function touchOf(tool: RegisteredTool | undefined, args: JsonObject, cwd: string): CallTouch {
  const declared = tool && declaredAccess(tool);
  const access = declared?.access;
  const writes = changesFile(access);
  const path = declared && isFileAccess(access) ? argumentsRead(args, declared)[access.path] : undefined;
  return {
    writes,
    runs: access?.kind === "run-command",
    ...(declared && typeof path === "string" && { file: fileTarget(path, declared, cwd) ?? path }),
  };
}

/**
 * Whether a call must wait for an earlier one of its step. Calls run in parallel, except that a write to a file and other
 * calls naming it keep their order, that calls which may read any file (a command, a search, a third-party tool) run
 * after the writes before them, and that a write waits for the commands before it: it must not change what they do.
 */
export function mustWait(later: CallTouch, earlier: CallTouch): boolean {
  if (!later.writes && !earlier.writes) return false;
  if (later.file !== undefined && earlier.file !== undefined) return later.file === earlier.file;
  return earlier.writes || earlier.runs;
}

/** A call, and where it runs. */
export interface PlacedCall {
  readonly tool: RegisteredTool;
  readonly args: JsonObject;
  readonly circumstances: Pick<ExpectedCall, "cwd" | "projectDir" | "env" | "sandbox">;
}

/** Returns the file that a call names, symlinks resolved, if the call can change it. */
export function changedPath({ tool, args, circumstances }: PlacedCall): string | undefined {
  const declared = declaredAccess(tool);
  const { access } = declared;
  if (!changesFile(access)) return undefined;
  const { cwd, projectDir, sandbox, env = process.env } = circumstances;
  const named = argumentsRead(args, declared)[access.path];
  const path = typeof named === "string" && named !== "" ? fileTarget(named, declared, cwd) : undefined;
  if (path === undefined || !sandbox) return path;
  return mayChange(path, sandbox, { projectDir, cwd, env }) ? path : undefined;
}

/** Files as the model last saw them: from real path to a value that identifies the content. */
const seenFiles = new WeakMap<Conversation, Map<string, string>>();

/** The files that a file tool's call affects, watched while it runs. */
interface WatchedCall {
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
