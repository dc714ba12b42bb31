import { sanitiseLine } from "./sanitise.ts";
import type { Style } from "./style.ts";

/** A task of the tool `todo`. */
export interface TodoItem {
  readonly text: string;
  readonly status: keyof typeof todoMarks;
}

export const todoMarks = { open: "[ ]", doing: "[>]", done: "[x]" } as const;

/** One line for each task. The one that is being done stands out. */
export function renderTodos(items: readonly TodoItem[], style: Style): string[] {
  const looks = { open: (text: string) => text, doing: style.bold, done: style.dim } as const;
  return items.map(({ text, status }) => looks[status](`${todoMarks[status]} ${sanitiseLine(text)}`));
}
