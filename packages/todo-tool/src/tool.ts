// The tool: a call with items replaces the list, one without reads it. Other agents' words for a status are accepted.

import { defineTool, ToolFailure } from "@ikigai/tool-sdk";
import { output, parameters } from "./schema.ts";
import { readTodoList, type TodoItem, type TodoStatus, writeTodoList } from "./todo-list.ts";

/** The longest task, in characters: people see one line of it. */
const maxTextLength = 500;

const marks: Readonly<Record<TodoStatus, string>> = { open: "[ ]", doing: "[>]", done: "[x]" };

/** Other agents' words, which models know. */
const statusOf = {
  open: "open",
  pending: "open",
  doing: "doing",
  in_progress: "doing",
  done: "done",
  completed: "done",
} as const;

export const todoTool = defineTool({
  name: "todo",
  description:
    "Keep the steps of a task in a list that the user sees. Use it for work of several steps, not for a single one. Each call replaces the whole list, so send every item; without items, it returns the list. Mark a step as completed when it is done, not at the end.",
  parameters,
  output,
  // It changes nothing but its own list, so it also works while the model plans.
  annotations: { readOnlyHint: true, openWorldHint: false },
  errorCodes: ["NO_STATE"],
  ikigai: { prestart: true, state: true },
  warmUp: () => answer([{ text: "Read the code", status: "doing" }]),
  aliases: { todos: "items", plan: "items" },
  run({ items: given }, { env, fail }) {
    const { IKIGAI_STATE_DIR: directory } = env;
    const items = given?.map(({ text, content, status }) => ({
      text: text ?? (typeof content === "string" ? content : ""),
      status: statusOf[status],
    }));
    if (items) check(items);
    if (!directory) {
      const hint = "Keep the steps in your answers.";
      return fail("NO_STATE", "This host keeps nothing for a session: IKIGAI_STATE_DIR is not set.", { hint });
    }
    if (items) writeTodoList(directory, items);
    return answer(items ?? readTodoList(directory));
  },
});

function answer(items: readonly TodoItem[]) {
  const done = items.filter(({ status }) => status === "done").length;
  return {
    output: items.map(({ text, status }) => `${marks[status]} ${text}`).join("\n"),
    open: items.length - done,
    done,
  };
}

/** @throws ToolFailure `INVALID_ARG` */
function check(items: readonly TodoItem[]): void {
  // The schema limits their number.
  for (const [index, { text }] of items.entries()) {
    const what = `Task ${index + 1}`;
    if (text.trim() === "") refuse(`${what} is empty.`);
    if (/[\r\n]/.test(text)) refuse(`${what} has more than one line.`);
    if (text.length > maxTextLength)
      refuse(`${what} has ${text.length} characters. At most ${maxTextLength} are allowed.`);
  }
}

function refuse(message: string): never {
  throw new ToolFailure("INVALID_ARG", message);
}
