import { ToolFailure } from "@ikigai/tool-sdk";

/**
 * An argument as UTF-8.
 *
 * @throws ToolFailure `INVALID_ARG` when it has half of a surrogate pair in it: JSON can say that, no file can hold it.
 */
export function encodeText(name: string, text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  throw new ToolFailure("INVALID_ARG", `${name} is not valid Unicode: it has half of a surrogate pair in it`);
}
