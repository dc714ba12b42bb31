import { helpOn } from "../help/help-on.ts";
import { exitCodes } from "../host/exit-codes.ts";
import { printOut } from "../host/stdout.ts";
import type { Command } from "./command.ts";

export const help: Command = {
  async run(words) {
    printOut(helpOn(words));
    return exitCodes.done;
  },
};
