import { ToolFailure } from "@ikigai/tool-sdk";

/**
 * Encodes an argument as UTF-8.
 *
 * @throws ToolFailure `INVALID_ARG` for a lone surrogate, which JSON can express and UTF-8 cannot.
 */
export function encodeText(name: string, text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  throw new ToolFailure("INVALID_ARG", `${name} is not valid Unicode: it contains half of a surrogate pair`);
}
