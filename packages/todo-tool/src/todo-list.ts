// The list in the directory of a session: one JSON file, read strictly and replaced atomically.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonValue } from "@ikigai/protocol";
import { systemReason, writePrivateFile } from "@ikigai/system";
import { ToolFailure } from "@ikigai/tool-sdk";

/** A task. */
export interface TodoItem {
  readonly text: string;
  readonly status: TodoStatus;
}

export type TodoStatus = "open" | "doing" | "done";

const statuses: readonly TodoStatus[] = ["open", "doing", "done"];

const fileName = "todo.json";

/**
 * Reads the list of the session in this directory; empty if it does not exist yet.
 *
 * @throws ToolFailure `READ_FAILED` if it cannot be read, or is damaged: it is never taken for an empty list.
 */
export function readTodoList(directory: string): readonly TodoItem[] {
  const path = join(directory, fileName);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const reason = error as NodeJS.ErrnoException;
    if (reason.code === "ENOENT") return [];
    throw new ToolFailure("READ_FAILED", `The list cannot be read: ${systemReason(reason)}`);
  }
  const items = itemsIn(text);
  if (items) return items;
  throw new ToolFailure("READ_FAILED", `The list is damaged: ${path}`, { hint: "Pass the whole list to replace it." });
}

/**
 * Replaces the list atomically.
 *
 * @throws ToolFailure `WRITE_FAILED`; the old list is then intact.
 */
export function writeTodoList(directory: string, items: readonly TodoItem[]): void {
  try {
    writePrivateFile(join(directory, fileName), `${JSON.stringify({ items })}\n`);
  } catch (error) {
    throw new ToolFailure("WRITE_FAILED", `The list cannot be saved: ${systemReason(error as NodeJS.ErrnoException)}`);
  }
}

function itemsIn(text: string): readonly TodoItem[] | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    const items = isJsonObject(value) ? value.items : undefined;
    return Array.isArray(items) && items.every(isItem) ? (items as unknown as readonly TodoItem[]) : undefined;
  } catch {
    return undefined;
  }
}

function isItem(item: JsonValue): boolean {
  return isJsonObject(item) && typeof item.text === "string" && statuses.some((status) => status === item.status);
}
