import { mainOptions, synopsis } from "../args/main-options.ts";
import { columns } from "./columns.ts";
import { commandRows, optionRows } from "./explain-command.ts";

const title = "ikigai: a terminal coding agent whose every tool is an external executable.";

const usage = columns(synopsis);

/** What `ikigai --help` prints. */
export function overview(): string {
  return [
    `${title}\n`,
    `Usage:\n${usage}`,
    `Commands:\n${columns(commandRows())}`,
    `Options:\n${columns(optionRows(mainOptions))}`,
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted. More: ikigai help\n",
  ].join("\n");
}
