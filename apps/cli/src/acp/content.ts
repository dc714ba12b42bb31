import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { RegisteredTool } from "@ikigai/core";
import type { JsonObject, ToolAccess } from "@ikigai/protocol";
import { readRegularFile } from "@ikigai/system";
import { parseObject } from "../render/json.ts";
import { underOwnNames } from "../render/render-call.ts";
import { sanitiseLine, sanitiseStrictly } from "../render/sanitise.ts";

/** A Markdown code block. Editors render Markdown, in which a command could hide parts of itself. */
export function codeBlock(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}\n${text}\n${fence}`;
}

/** Text in a Markdown code span, on one line. */
export function codeSpan(text: string): string {
  const line = sanitiseStrictly(sanitiseLine(text));
  const fence = "`".repeat(longestRun(line) + 1);
  const room = /^`|`$|^ .* $/.test(line) ? " " : "";
  return `${fence}${room}${line}${room}${fence}`;
}

/** The longest run of backticks. */
function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}

const kinds: Readonly<Record<ToolAccess["kind"], ToolKind>> = {
  "run-command": "execute",
  "read-file": "read",
  "write-file": "edit",
  "edit-file": "edit",
  "list-files": "search",
  "search-files": "search",
};

/** The kind of call, which editors show as an icon. What others declare about their own tools does not count. */
export function kindOf(tool: RegisteredTool | undefined): ToolKind {
  const access = tool?.scope === "system" ? tool.schema.ikigai?.access : undefined;
  return access ? kinds[access.kind] : "other";
}

/** The file that a call of a system tool names, for editors that follow along. */
export function callLocations(tool: RegisteredTool | undefined, text: string, cwd: string): ToolCallLocation[] {
  const access = tool?.scope === "system" ? tool.schema.ikigai?.access : undefined;
  if (!access || !("path" in access) || kinds[access.kind] === "search") return [];
  const path = parseObject(text)?.[access.path];
  return typeof path === "string" ? [{ path: resolve(cwd, path) }] : [];
}

/** A change for the editor's own view of differences. */
export interface EditDiff {
  readonly type: "diff";
  /** Absolute. */
  readonly path: string;
  /** Null if the file does not exist. */
  readonly oldText: string | null;
  readonly newText: string;
}

/** Larger files get no diff, in bytes: both texts go into one message. */
const maxBytes = 1_048_576;

/**
 * The change that a call of the system's `file_write` or `file_edit` would make now. Undefined for other calls, and if the
 * change cannot be shown exactly. Runs nothing.
 */
export function editDiff(tool: RegisteredTool, call: JsonObject, cwd: string): EditDiff | undefined {
  const args = underOwnNames(tool.name, call);
  const { file_path: given, content } = args;
  if (tool.scope !== "system" || tool.launcher || typeof given !== "string") return undefined;
  const path = resolve(cwd, given);
  const oldText = readText(path);
  if (oldText === undefined) return undefined;
  if (tool.name === "file_write" && typeof content === "string")
    return { type: "diff", path, oldText, newText: content };
  if (tool.name !== "file_edit" || oldText === null) return undefined;
  const newText = edited(oldText, args);
  return newText === undefined ? undefined : { type: "diff", path, oldText, newText };
}

function edited(text: string, args: JsonObject): string | undefined {
  const { old_string: before, new_string: after } = args;
  if (typeof before !== "string" || typeof after !== "string" || before === "") return undefined;
  const pieces = text.split(before);
  const isClear = pieces.length === 2 || (pieces.length > 2 && args.replace_all === true);
  return isClear ? pieces.join(after) : undefined;
}

/** Null if there is no file, undefined if it is not a text of reasonable size. */
function readText(path: string): string | null | undefined {
  try {
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) return null;
    if (size > maxBytes) return undefined;
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readRegularFile(path));
  } catch {
    return undefined;
  }
}
