import { commands, type Shell, shells } from "../command-line/commands.ts";
import bash from "../completion/scripts/bash.txt";
import fish from "../completion/scripts/fish.txt";
import zsh from "../completion/scripts/zsh.txt";
import { exitCodes } from "../exit-codes.ts";
import { printOut } from "../print-out.ts";
import { readOptions } from "../read-options.ts";
import { UsageError } from "../usage-error.ts";
import type { Command } from "./command.ts";
import { readOperands } from "./read-operands.ts";

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
