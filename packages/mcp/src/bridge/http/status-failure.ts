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

/** Makes an error of a status. @param text the body; a page for people is left out. */
export function statusFailure(status: number, text = ""): StatusFailure {
  const line = /^\s*</.test(text) ? "" : text.trim().replace(/\s+/g, " ").slice(0, maxTextLength);
  return new StatusFailure(status, `HTTP ${status}${line === "" ? "." : `: ${line}`}`);
}
