import type { Tui } from "../app/tui.ts";
import { giveTerminalBack, takeTerminal } from "./terminal-modes.ts";

/** Stops the whole job, as it would stop if the terminal had seen the key: `npm start` as well. */
export function suspend(tui: Tui): void {
  tui.viewer?.close();
  tui.surface.hide();
  giveTerminalBack();
  const resume = () => {
    process.off("SIGCONT", resume);
    takeTerminal();
    tui.surface.show();
  };
  process.on("SIGCONT", resume);
  process.kill(0, "SIGTSTP");
  // A job that nobody could continue does not stop.
  setImmediate(resume);
}
