// What is known about a call before it runs: its arguments, checked and under the tool's own names; then the files that it affects,
// the order that follows from them, and which of them the model has seen as they are now.

import { statSync } from "node:fs";
import { findTool, type Outcome, type RegisteredTool, type Registry } from "@ikigai/core";
import type { CallArguments } from "@ikigai/core/internal";
import {
  argumentsRead,
  changesFile,
  declaredAccess,
  fileTarget,
  isFileAccess,
  namesTool,
  type PermissionRule,
  parseRule,
  readUrl,
  withMeantPath,
} from "@ikigai/permission";
import {
  coerceArguments,
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  maxJsonLevels,
  textStart,
} from "@ikigai/protocol";
import type { Conversation } from "@ikigai/session";
import { duplicateName } from "@ikigai/system";

/** A call's arguments as a tool gets them, or the error in them. */
export type CheckedArguments = CallArguments | { readonly error: string };

/** How much of invalid arguments is quoted, in characters. */
const maxQuoted = 80;

/**
 * Checks a call's arguments. Empty text means an empty object; anything else must be a JSON object without duplicate names and
 * of at most `maxJsonLevels`.
 */
export function checkArguments(text: string): CheckedArguments {
  if (text.trim() === "") return { text: "{}", value: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { error: `Expected the arguments to be a JSON object: ${(error as Error).message}. Got ${quote(text)}.` };
  }
  if (!isJsonObject(value)) {
    return { error: `Expected the arguments to be a JSON object, got ${quote(text)}.` };
  }
  if (isDeeperThan(value, maxJsonLevels))
    return { error: `The arguments are nested deeper than ${maxJsonLevels} levels.` };
  const twice = duplicateName(text, 1);
  // A question would show one of the two, and a tool may read the other.
  if (twice !== undefined) return { error: `The arguments name ${JSON.stringify(twice)} twice. Name it once.` };
  return { text, value };
}

function quote(text: string): string {
  return text.length > maxQuoted ? `${textStart(text, maxQuoted)}…` : text;
}

/**
 * Returns the arguments of a call as its tool reads them, so that the rules, the question, the checkpoint and the tool all use the same
 * text. A system tool's have the parameters' own names. A tool that overrides a system tool gets its path as an absolute one, too.
 */
export function withOwnNames(called: string, args: CallArguments, registry: Registry): CallArguments {
  const tool = findTool(registry, called);
  if (!tool) return args;
  const declared = declaredAccess(tool);
  const isSystem = declared.by === "system" && tool.scope === "system";
  const value = isSystem
    ? argumentsRead(args.value, declared)
    : withMeantPath(coerceArguments(args.value, tool.schema.parameters), declared);
  return value === args.value ? args : (printed(value) ?? args);
}

/** Prints arguments; `undefined` if they are nested too deeply. */
function printed(value: JsonObject): CallArguments | undefined {
  try {
    return { text: JSON.stringify(value), value };
  } catch {
    return undefined;
  }
}

/**
 * Returns the arguments of a call with its `url` as the WHATWG standard writes it, if a rule is about the hosts of this tool: the tool
 * must not find another host in it than the rule. The same for a system tool, for which such a rule may be added while the call waits.
 * Other tools get what the model wrote.
 */
export function withPlainUrl(
  { name, isSystem }: { readonly name: string; readonly isSystem: boolean },
  args: CallArguments,
  rules: readonly PermissionRule[],
): CallArguments {
  const { url } = args.value;
  const href = typeof url === "string" ? readUrl(url)?.href : undefined;
  if (href === undefined || href === url) return args;
  if (!isSystem && !rules.some((rule) => isAboutHosts(rule, name))) return args;
  return printed({ ...args.value, url: href }) ?? args;
}

function isAboutHosts({ rule }: PermissionRule, name: string): boolean {
  const parts = parseRule(rule);
  return parts?.domain !== undefined && namesTool(parts, name);
}

/* Which files a call affects, in which order calls run because of that, and which files the model has seen as they are now. */

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
