import { constants } from "node:os";
import { startProgram } from "@ikigai/core/internal";
import { editorCommand } from "../../host/editor-environment.ts";
import { onInterrupt } from "../../host/signals.ts";
import type { CommandContext } from "../command.ts";

/** What a shell adds to the number of a signal, and exits with when it cannot run a command. */
const signalCode = 128;
const shellError = 127;

/**
 * Opens a file in the editor that `VISUAL` or `EDITOR` names, and waits until it is closed. Ctrl-C is the editor's meanwhile.
 * No program of the project is taken for the editor.
 *
 * @returns the editor's exit code; 128 and more for a signal.
 */
export async function runEditor(path: string, { env, places }: CommandContext): Promise<number> {
  const resume = onInterrupt(() => {});
  try {
    // The variables hold a command with its arguments.
    const args = ["-c", `${editorCommand(env)} "$1"`, "sh", path];
    const { projectDir } = places;
    const child = startProgram("/bin/sh", args, { env, projectDir }, "inherit", "inherit", "inherit");
    return await new Promise<number>((settle) => {
      child.once("error", () => settle(shellError));
      child.once("exit", (code, signal) => settle(code ?? signalCode + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    resume();
  }
}
