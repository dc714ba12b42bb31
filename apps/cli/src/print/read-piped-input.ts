import { fstatSync } from "node:fs";
import { printError } from "../host/stdout.ts";

/** How long to wait for the first bytes of a pipe that may stay empty, in milliseconds. */
const firstBytesMs = 3_000;

/** Limit of piped input, in bytes. */
const maxBytes = 10 * 1_048_576;

/** The piped input; empty if stdin is a terminal, closed or /dev/null. */
export type PipedInput = { readonly text: string } | { readonly problem: string };

/**
 * Reads piped input until end of file.
 *
 * @param isNeeded whether the task depends on it; if so, waits without a limit.
 */
export async function readPipedInput({ isNeeded }: { isNeeded: boolean }): Promise<PipedInput> {
  if (!mayCarryText()) return { text: "" };
  const { stdin } = process;
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((settle) => {
    const finish = (result: PipedInput) => {
      clearTimeout(timer);
      stdin.removeAllListeners().on("error", () => {});
      stdin.destroy();
      settle(result);
    };
    const text = () => ({ text: Buffer.concat(chunks).toString("utf8") });
    const giveUp = () => {
      printError("No data on stdin for 3 s; continuing without it. To avoid the wait, redirect: </dev/null\n");
      finish(text());
    };
    const timer = isNeeded ? undefined : setTimeout(giveUp, firstBytesMs);
    stdin.on("data", (chunk: Buffer) => {
      clearTimeout(timer);
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) finish({ problem: `Expected at most ${maxBytes} bytes on stdin, got more.` });
    });
    stdin.on("end", () => finish(text())).on("error", () => finish(text()));
  });
}

function mayCarryText(): boolean {
  try {
    const stdin = fstatSync(0);
    return stdin.isFIFO() || stdin.isFile() || stdin.isSocket();
  } catch {
    return false;
  }
}
