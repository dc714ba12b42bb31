import { commands, type Shell, shells } from "../../args/commands.ts";
import { readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { exitCodes } from "../../host/exit-codes.ts";
import { printOut } from "../../host/stdout.ts";
import type { Command } from "../command.ts";
import { readOperands } from "../read-operands.ts";
import bash from "./scripts/bash.txt";
import fish from "./scripts/fish.txt";
import zsh from "./scripts/zsh.txt";

const syntax = commands.completion;

/** They ask `ikigai __complete` at every Tab, so they need no change when ikigai has new commands. */
const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };

export const completion: Command = {
  async run(args) {
    const [shell = ""] = readOperands(readOptions(args, syntax.options).operands, syntax);
    if (!isShell(shell)) throw new UsageError(`Expected ${shells.join(", ")}, got ${JSON.stringify(shell)}.`);
    printOut(scripts[shell]);
    return exitCodes.done;
  },
};

function isShell(word: string): word is Shell {
  return (shells as readonly string[]).includes(word);
}
