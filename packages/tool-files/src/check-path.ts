import { pathAsMeant } from "@ikigai/system";
import { ToolFailure } from "@ikigai/tool-sdk";
import { encodeText } from "./encode-text.ts";

/**
 * Returns the path that an argument means (`pathAsMeant`). Rejects paths that no file can have.
 *
 * @throws ToolFailure `INVALID_ARG` for an empty path, a NUL character or a lone surrogate.
 */
export function checkPath(name: string, path: string): string {
  encodeText(name, path);
  if (path === "") throw new ToolFailure("INVALID_ARG", `${name} cannot be empty`);
  if (path.includes("\0")) throw new ToolFailure("INVALID_ARG", `${name} contains a NUL character`);
  return pathAsMeant(path);
}
