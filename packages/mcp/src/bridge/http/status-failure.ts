import { BridgeError } from "../bridge-error.ts";

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
