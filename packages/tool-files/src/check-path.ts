import { ToolFailure } from "@ikigai/tool-sdk";
import { encodeText } from "./encode-text.ts";

/**
 * Refuses what no file can be called.
 *
 * @throws ToolFailure `INVALID_ARG` for an empty path, a NUL character or half of a surrogate pair.
 */
export function checkPath(name: string, path: string): void {
  encodeText(name, path);
  if (path === "") throw new ToolFailure("INVALID_ARG", `${name} cannot be empty`);
  if (path.includes("\0")) throw new ToolFailure("INVALID_ARG", `${name} has a NUL character in it`);
}
