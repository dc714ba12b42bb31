import { textStart } from "@ikigai/protocol";
import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";

/** How much of a text from a server or the library an error repeats, in characters. */
const maxLength = 1_000;

/** What an error of the library says, one sentence. @param timeoutMs how long the library has waited. */
export function errorWords(error: unknown, timeoutMs?: number): string {
  const { code } = error instanceof SdkError ? error : { code: undefined };
  if (code === SdkErrorCode.InvalidResult) return notMcp;
  if (code === SdkErrorCode.RequestTimeout) {
    return `It did not answer ${timeoutMs === undefined ? "in time" : `within ${Math.round(timeoutMs / 1_000)} s`}.`;
  }
  const message = shortened((error as Error).message || String(error));
  return /[.!?…]$/.test(message) ? message : `${message}.`;
}

/** The error for an answer that the library cannot read. */
export const notMcp = "It sent an invalid MCP message.";

/** A text of a server, of which an error repeats the beginning. */
export function shortened(text: string): string {
  const start = textStart(text, maxLength).trim();
  return start.length < text.trim().length ? `${start}…` : start;
}
