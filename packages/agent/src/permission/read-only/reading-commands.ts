import type { CommandSpec } from "./command-spec.ts";
import { fileCommands } from "./file-commands.ts";
import { plainCommands } from "./plain-commands.ts";
import { textCommands } from "./text-commands.ts";

/**
 * The programs that are read-only with the arguments in their entry; `refused` lists, for readers and tests, what an entry
 * leaves out on purpose. Other programs need a question. `find` and `git` have their own files.
 */
export const readingCommands: Readonly<Record<string, CommandSpec>> = {
  ...plainCommands,
  ...textCommands,
  ...fileCommands,
};

/** Whether calls of a program may run without a question because of its name. */
export function isReadingCommand(name: string): boolean {
  return ["cd", "find", "git", "perl"].includes(name) || Object.hasOwn(readingCommands, name);
}
