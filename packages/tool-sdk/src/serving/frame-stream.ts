import type { CancelFrame } from "@ikigai/protocol";
import { complain, exitFailed } from "../report-failure.ts";
import { BrokenFrame, endedEarly, parseFrame, toCall, type UncheckedCall } from "./frames.ts";

const newline = 0x0a;

/**
 * Passes on the frames on stdin as they arrive.
 *
 * @returns the exit code, when stdin has ended, or at SIGTERM; if a frame is broken, after the reason is on stderr.
 */
export function readFrames(take: (frame: UncheckedCall | CancelFrame) => void): Promise<number> {
  return new Promise((settle) => {
    const parts: Buffer[] = [];
    const fail = (reason: string) => {
      complain(reason);
      settle(exitFailed);
    };
    const add = (chunk: Buffer) => {
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        const last = chunk.subarray(start, end);
        take(callOrCancel(parts.length === 0 ? last : Buffer.concat([...parts.splice(0), last])));
        start = end + 1;
      }
      if (start < chunk.length) parts.push(chunk.subarray(start));
    };
    process.once("SIGTERM", () => settle(0));
    process.stdin.on("data", (chunk: Buffer) => {
      try {
        add(chunk);
      } catch (error) {
        if (!(error instanceof BrokenFrame)) throw error;
        process.stdin.destroy();
        fail(error.message);
      }
    });
    process.stdin.on("end", () => (parts.length === 0 ? settle(0) : fail(endedEarly)));
    // A reset connection is the end of the host, too.
    process.stdin.on("error", () => settle(0));
  });
}

function callOrCancel(line: Buffer): UncheckedCall | CancelFrame {
  const frame = parseFrame(line);
  return typeof frame.cancel === "string" ? { cancel: frame.cancel } : toCall(frame);
}
