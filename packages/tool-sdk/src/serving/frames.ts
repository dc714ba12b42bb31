import { isUtf8 } from "node:buffer";
import { BrokenFrame, type JsonObject, parseFrame } from "@ikigai/protocol";

/** Why a frame is broken that the end of stdin has cut. */
export const endedEarly = "Expected a frame on stdin, which ended before its newline.";

/** Reads a line as a JSON object. @throws BrokenFrame if it is something else. */
export function parseLine(line: Buffer): JsonObject {
  if (!isUtf8(line)) throw new BrokenFrame("Expected a frame in UTF-8 on stdin.");
  return parseFrame(line.toString("utf8"));
}
