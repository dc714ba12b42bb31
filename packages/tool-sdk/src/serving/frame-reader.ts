import { isUtf8 } from "node:buffer";
import { type CallFrame, isJsonObject } from "@ikigai/protocol";
import { readStdin, stdinChunkBytes } from "../read-stdin.ts";

/** What arrived on stdin is not a frame. The message is one line for stderr. */
export class BrokenFrame extends Error {
  override readonly name = "BrokenFrame";
}

/** A call as it arrives: its arguments are not checked yet. */
export type UncheckedCall = Omit<CallFrame, "arguments"> & { readonly arguments: unknown };

const newline = 0x0a;

/** Reads call frames from stdin. */
export class FrameReader {
  readonly #chunk = Buffer.allocUnsafe(stdinChunkBytes);
  /** What was read beyond the last frame. */
  #rest: Buffer = Buffer.alloc(0);

  /**
   * Waits for the next call; `undefined` at the end of stdin. Blocks: nothing else runs in the process until a frame arrives.
   *
   * @throws BrokenFrame if it is not a call.
   */
  next(): UncheckedCall | undefined {
    const line = this.#nextLine();
    return line && parseFrame(line);
  }

  #nextLine(): Buffer | undefined {
    const parts: Buffer[] = [];
    let part = this.#rest;
    for (;;) {
      const end = part.indexOf(newline);
      if (end >= 0) {
        const last = part.subarray(0, end);
        const line = parts.length === 0 ? last : Buffer.concat([...parts, last]);
        // Copied: the next read overwrites the chunk.
        this.#rest = Buffer.from(part.subarray(end + 1));
        return line;
      }
      if (part.length > 0) parts.push(Buffer.from(part));
      part = this.#chunk.subarray(0, readStdin(this.#chunk));
      if (part.length > 0) continue;
      if (parts.length === 0) return undefined;
      throw new BrokenFrame("Expected a frame on stdin, which ended before its newline.");
    }
  }
}

function parseFrame(line: Buffer): UncheckedCall {
  const frame = parse(line);
  if (!isJsonObject(frame)) throw new BrokenFrame("Expected a frame on stdin, got something other than a JSON object.");
  const { call, tool, env, arguments: args } = frame;
  if (typeof call !== "string" || typeof tool !== "string" || args === undefined || !isTextMap(env))
    throw new BrokenFrame('Expected a frame with "call", "tool", "env" and "arguments" on stdin.');
  return { call, tool, env, arguments: args };
}

function parse(line: Buffer): unknown {
  if (!isUtf8(line)) throw new BrokenFrame("Expected a frame in UTF-8 on stdin.");
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    throw new BrokenFrame("Expected a frame on stdin, got a line that is not JSON.");
  }
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((entry) => typeof entry === "string");
}
