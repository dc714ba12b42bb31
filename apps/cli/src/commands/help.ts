import { exitCodes } from "../exit-codes.ts";
import { helpOn } from "../help/help-on.ts";
import { printOut } from "../print-out.ts";
import type { Command } from "./command.ts";

export const help: Command = {
  async run(words) {
    printOut(helpOn(words));
    return exitCodes.done;
  },
};
