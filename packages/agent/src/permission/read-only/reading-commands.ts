import type { CommandSpec } from "./command-spec.ts";
import { fileCommands } from "./file-commands.ts";
import { plainCommands } from "./plain-commands.ts";
import { textCommands } from "./text-commands.ts";

/**
 * The programs that only read when they are given nothing but what their entry names; `refused` tells, for the reader and the
 * tests, what an entry leaves out on purpose. A program that is missing is asked about. `find` and `git` have files of their own.
 */
export const readingCommands: Readonly<Record<string, CommandSpec>> = {
  ...plainCommands,
  ...textCommands,
  ...fileCommands,
};
