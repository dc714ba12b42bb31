import { closeSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Conversation, stateDir } from "@ikigai/agent/internal";
import { isJsonObject, type JsonValue } from "@ikigai/protocol";
import { openRegularFile } from "@ikigai/system";
import { slashCommand } from "../help/slash-command-table.ts";
import { parseObject } from "../render/json.ts";
import { renderTodos, type TodoItem, todoMarks } from "../render/render-brief.ts";
import type { SlashCommand } from "./slash-command.ts";

/** The tool that writes the list. */
export const todoToolName = "todo";

/** Reads the list of a session's tasks; empty without one. Other tools may write to the file, so it may contain anything. */
export function readTodoList(conversation: Conversation): readonly TodoItem[] {
  const directory = stateDir(conversation);
  if (directory === undefined) return [];
  let fd: number | undefined;
  try {
    fd = openRegularFile(join(directory, "todo.json"));
    const { items = [] } = (fd === undefined ? undefined : parseObject(readFileSync(fd, "utf8"))) ?? {};
    return Array.isArray(items) ? items.filter(isItem) : [];
  } catch {
    return [];
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function isItem(item: unknown): item is TodoItem & JsonValue {
  return isJsonObject(item) && typeof item.text === "string" && Object.hasOwn(todoMarks, String(item.status));
}

export const todos: SlashCommand = {
  ...slashCommand("todos"),
  async run(_args, { agent, screen }) {
    const items = readTodoList(agent.conversation);
    if (items.length === 0) return screen.print("No tasks. The model lists them when a task has several steps.\n");
    const done = items.filter(({ status }) => status === "done").length;
    const rows = renderTodos(items, screen.style).map((row) => `  ${row}\n`);
    screen.print(`Tasks: ${done} of ${items.length} done\n${rows.join("")}`);
  },
};
