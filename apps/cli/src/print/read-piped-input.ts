import { fstatSync } from "node:fs";
import { printError } from "../host/stdout.ts";

/** When to say that a pipe is waited for, and for how long its first bytes are, in milliseconds: a CI's may stay open and empty. */
const noticeMs = 3_000;
const firstBytesMs = 30_000;

const empty = "To run without piped input: </dev/null";

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
      clearTimers();
      stdin.removeAllListeners().on("error", () => {});
      stdin.destroy();
      settle(result);
    };
    const text = () => ({ text: Buffer.concat(chunks).toString("utf8") });
    const say = () => printError(`Waiting for data on stdin. ${empty}\n`);
    const giveUp = () => finish({ problem: `No data on stdin for ${firstBytesMs / 1_000} s. ${empty}` });
    const timers = isNeeded ? [] : [setTimeout(say, noticeMs), setTimeout(giveUp, firstBytesMs)];
    const clearTimers = () => timers.forEach(clearTimeout);
    stdin.on("data", (chunk: Buffer) => {
      clearTimers();
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
