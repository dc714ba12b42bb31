import { readTodoList } from "../../session/state-commands.ts";
import type { Tui } from "./tui.ts";

/** Reads the list of tasks again, which is above the editor while a task is open. */
export function showTodos(tui: Tui): void {
  tui.setTodos(readTodoList(tui.session.agent.conversation));
}
