import { Socket } from "node:net";

/** Tells the host what a command prints, while it prints. */
export interface LiveOutput {
  add(chunk: Buffer): void;
  stop(): void;
}

/** How often, in milliseconds: as often as an eye can follow. A command that is quicker is not reported on. */
const periodMs = 100;

/** How much of the end is shown, in bytes: a screenful. Escaped six times over it would still be a line the host reads. */
const shownBytes = 1_200;

/** Reports on the host's progress descriptor: how many bytes have come, and the last lines. Without a host, nothing. */
export function liveOutput(fd = Number(process.env.IKIGAI_PROGRESS_FD)): LiveOutput {
  if (!(fd > 2)) return { add: () => {}, stop: () => {} };
  let tail: Buffer = Buffer.alloc(0);
  let bytes = 0;
  let reported = 0;
  let socket: Socket | undefined;
  const report = () => {
    // A host that is slow gets only the newest.
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
      socket?.destroy();
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

/** Whole lines, unless there is only one. */
function lastLines(tail: Buffer, bytes: number): string {
  const text = tail.toString("utf8");
  const firstEnd = text.indexOf("\n");
  return bytes > tail.length && firstEnd >= 0 && firstEnd < text.length - 1 ? text.slice(firstEnd + 1) : text;
}
