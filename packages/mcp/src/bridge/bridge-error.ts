// The failures of the bridge, each with a code, and their words for a model.

import { textStart } from "@ikigai/protocol";
import { ToolFailure } from "@ikigai/tool-sdk/internal";
import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";

/** Codes of answers that say why a call was not made or has no result. */
export type BridgeErrorCode =
  | "INPUT_REQUIRED"
  | "INVALID_PARAMS"
  | "MCP_REQUEST_FAILED"
  | "MCP_TOOL_ERROR"
  | "MISSING_CREDENTIALS"
  | "NETWORK_DENIED"
  | "SERVICE_DIED"
  | "TOOL_TIMEOUT";

/** Why the server could not be reached, or a call has no result. It becomes an answer. */
export class BridgeError extends ToolFailure<BridgeErrorCode> {
  /** @param steps what the user can do, one step each. */
  constructor(code: BridgeErrorCode, message: string, steps: readonly string[] = []) {
    super(code, message, steps.length > 0 ? { help: { steps } } : {});
  }
}

/** The error as a tool's answer. */
export function toErrorAnswer({ code, message, details }: BridgeError) {
  return { error: message, error_code: code, ...details };
}

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

/** A text of a server, of which an error or a report repeats the beginning. */
export function shortened(text: string, length = maxLength): string {
  const start = textStart(text, length).trim();
  return start.length < text.trim().length ? `${start}…` : start;
}

/** A status that reports a failure. */
export class StatusFailure extends BridgeError {
  readonly status: number;

  constructor(status: number, message: string) {
    super("MCP_REQUEST_FAILED", message);
    this.status = status;
  }
}

/** How much of a server's text an error repeats, in characters. */
const maxTextLength = 200;

/** Makes an error of a status. @param text the body. */
export function statusFailure(status: number, text = ""): StatusFailure {
  const line = statusLine(status, text);
  return new StatusFailure(status, line.includes(":") ? line : `${line}.`);
}

/** A status and what the server says about it: `HTTP 500: boom`. @param text the body; a page for people is left out. */
export function statusLine(status: number, text: string): string {
  const line = /^\s*</.test(text) ? "" : text.trim().replace(/\s+/g, " ").slice(0, maxTextLength);
  return `HTTP ${status}${line === "" ? "" : `: ${line}`}`;
}

/** What to do about a status that says that nothing is at the URL; empty for others. */
export function urlAdvice({ status, message }: StatusFailure): string {
  if (!notHere.includes(status)) return "";
  const end = /[.!?…]$/.test(message) ? "" : ".";
  return `${end} Is this the URL of an MCP server? Its path is often /mcp.`;
}

const notHere = [404, 405];
