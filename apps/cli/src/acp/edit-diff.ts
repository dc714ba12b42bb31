import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import type { JsonObject } from "@ikigai/protocol";
import { readRegularFile } from "@ikigai/system";

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
export function editDiff(tool: RegisteredTool, args: JsonObject, cwd: string): EditDiff | undefined {
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
  const before = args.old_string ?? args.old_text;
  const after = args.new_string ?? args.new_text;
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
