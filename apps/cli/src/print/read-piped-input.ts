import { fstatSync } from "node:fs";
import { printError } from "../print-out.ts";

/** How long to wait for the first bytes of a pipe that may never carry any, in milliseconds. */
const firstBytesMs = 3_000;

/** What is piped into ikigai; empty when stdin is a terminal, closed or /dev/null. */
export async function readPipedInput(): Promise<string> {
  if (!mayCarryText()) return "";
  const chunks: Buffer[] = [];
  const { stdin } = process;
  return new Promise((settle) => {
    const finish = () => {
      clearTimeout(timer);
      stdin.destroy();
      settle(Buffer.concat(chunks).toString("utf8"));
    };
    const timer = setTimeout(() => {
      printError("Nothing has come on stdin for 3 s; going on without it. (</dev/null says that nothing will.)\n");
      finish();
    }, firstBytesMs);
    stdin.on("data", (chunk: Buffer) => {
      clearTimeout(timer);
      chunks.push(chunk);
    });
    stdin.on("end", finish).on("error", finish);
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
