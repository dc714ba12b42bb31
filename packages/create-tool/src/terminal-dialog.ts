import { createInterface } from "node:readline";
import type { Dialog } from "./ask.ts";

/** Asks on stdin and stdout. Ctrl-C ends the process as usual, since the terminal itself edits the lines. */
export function terminalDialog(): Dialog & { close(): void } {
  const input = createInterface({ input: process.stdin, terminal: false });
  const lines = input[Symbol.asyncIterator]();
  return {
    async ask(question) {
      process.stdout.write(question);
      const { value, done } = await lines.next();
      return done ? undefined : value.trim();
    },
    say: (line) => void process.stdout.write(`${line}\n`),
    // An open stdin keeps the process running.
    close: () => input.close(),
  };
}
