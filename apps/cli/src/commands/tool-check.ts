import { isatty } from "node:tty";
import { runCheckCommand } from "@ikigai/testing";
import { printError, printOut } from "../print-out.ts";
import { terminalKind } from "../screen/terminal-kind.ts";
import type { Command } from "./command.ts";

/** The same checks, options and reports as `npx @ikigai/testing`. */
export const toolCheck: Command = {
  run(args, { env }) {
    const { hasEscapes } = terminalKind(env, { isTerminal: isatty(1) });
    return runCheckCommand(args, { name: "ikigai tool check", print: printOut, printError, hasColours: hasEscapes });
  },
};
