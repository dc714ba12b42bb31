/** Codes of answers that say why a call was not made or has no result. */
export type BridgeErrorCode =
  | "INPUT_REQUIRED"
  | "INVALID_PARAMS"
  | "MCP_REQUEST_FAILED"
  | "MCP_TOOL_ERROR"
  | "MISSING_CREDENTIALS"
  | "NETWORK_DENIED"
  | "SERVICE_DIED"
  | "TOOL_CANCELLED"
  | "TOOL_TIMEOUT";

/** Why the server could not be reached, or a call has no result. It becomes an answer. */
export class BridgeError extends Error {
  override readonly name = "BridgeError";
  readonly code: BridgeErrorCode;
  /** What the user can do, one step each. */
  readonly steps: readonly string[];

  constructor(code: BridgeErrorCode, message: string, steps: readonly string[] = []) {
    super(message);
    this.code = code;
    this.steps = steps;
  }
}

/** The error as a tool's answer. */
export function toErrorAnswer({ code, message, steps }: BridgeError) {
  return { error: message, error_code: code, ...(steps.length > 0 && { help: { steps: [...steps] } }) };
}
