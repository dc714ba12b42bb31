import { Socket } from "node:net";

/** Reports a command's output to the host while it runs. */
export interface LiveOutput {
  add(chunk: Buffer): void;
  stop(): void;
}

/** Interval of reports, in milliseconds. Shorter commands are not reported. */
const periodMs = 100;

/** How much of the end is reported, in bytes: a screenful. Even if every byte is escaped, the host accepts the line. */
const shownBytes = 1_200;

/** The host's progress descriptor. Stays open after a command: the next call of this process reports on it, too. */
let socket: Socket | undefined;

/** Reports on the host's progress descriptor: bytes so far, and the last lines. Without a host, does nothing. */
export function liveOutput(fd = Number(process.env.IKIGAI_PROGRESS_FD)): LiveOutput {
  if (!(fd > 2)) return { add: () => {}, stop: () => {} };
  let tail: Buffer = Buffer.alloc(0);
  let bytes = 0;
  let reported = 0;
  const report = () => {
    // A slow host skips reports and gets the newest.
    if (bytes === reported || socket?.destroyed || socket?.writableLength) return;
    socket ??= open(fd);
    if (socket === undefined) clearInterval(timer);
    reported = bytes;
    socket?.write(`${JSON.stringify({ progress: bytes, message: lastLines(tail, bytes) })}\n`);
  };
  const timer = setInterval(report, periodMs);
  timer.unref();
  return {
    add(chunk) {
      bytes += chunk.length;
      tail = Buffer.concat([tail, chunk.subarray(-shownBytes)]).subarray(-shownBytes);
    },
    stop() {
      clearInterval(timer);
      // A report that the host has not taken yet must not arrive during the next call.
      if (socket?.writableLength) socket.destroy();
    },
  };
}

function open(fd: number): Socket | undefined {
  try {
    return new Socket({ fd, readable: false, writable: true }).on("error", () => {}).unref();
  } catch {
    return undefined;
  }
}

/** Drops a partial first line, unless it is the only one. */
function lastLines(tail: Buffer, bytes: number): string {
  const text = tail.toString("utf8");
  const firstEnd = text.indexOf("\n");
  return bytes > tail.length && firstEnd >= 0 && firstEnd < text.length - 1 ? text.slice(firstEnd + 1) : text;
}
