import { createInterface } from "node:readline";
import type { Dialog } from "./ask.ts";

/** Asks on stdin and stdout. The terminal itself edits the lines, so Ctrl-C sends SIGINT. */
export function terminalDialog(): Dialog & { close(): void } {
  const input = createInterface({ input: process.stdin, terminal: false });
  const lines = input[Symbol.asyncIterator]();
  return {
    async ask(question) {
      process.stdout.write(question);
      const { value, done } = await lines.next();
      if (!done) return value.trim();
      // Ctrl-D leaves the cursor after the question.
      process.stdout.write("\n");
      return undefined;
    },
    say: (line) => void process.stdout.write(`${line}\n`),
    // An open stdin keeps the process running.
    close: () => input.close(),
  };
}
