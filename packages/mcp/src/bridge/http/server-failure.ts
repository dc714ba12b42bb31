// Why a remote MCP server cannot be used, or why a call failed: from the errors of the library to a sentence.

import { redact } from "@ikigai/system";
import {
  computeScopeUnion,
  InsufficientScopeError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { changeLogins, currentLogin } from "../../server/secrets-file.ts";
import { BridgeError, notMcp, StatusFailure, statusFailure, statusLine, urlAdvice } from "../bridge-error.ts";
import type { ServerPlace } from "../server-place.ts";

/** Says why a remote server cannot be used, or why a call failed; `undefined` if the error is not about HTTP. */
export async function serverFailure(
  place: ServerPlace,
  error: unknown,
  what: "cannot be used" | "failed",
): Promise<BridgeError | undefined> {
  const found = causeOf(error);
  if (found instanceof InsufficientScopeError) return needsScope(place, found.requiredScope ?? "");
  if (found === "unauthorized") return needsLogin(place);
  if (found === undefined || found.code !== "MCP_REQUEST_FAILED") return found;
  const advice = found instanceof StatusFailure && what === "cannot be used" ? urlAdvice(found) : "";
  const message = redact(`The MCP server ${place.name} ${what}: ${found.message}${advice}`, place.secrets);
  return found instanceof StatusFailure
    ? new StatusFailure(found.status, message)
    : new BridgeError(found.code, message);
}

/** What an error of the library is about. It wraps what it gets while it negotiates the version. */
function causeOf(error: unknown): BridgeError | InsufficientScopeError | "unauthorized" | undefined {
  if (error instanceof BridgeError || error instanceof InsufficientScopeError) return error;
  if (error instanceof UnauthorizedError) return "unauthorized";
  const status = statusOf(error);
  if (status === unauthorized) return "unauthorized";
  if (status !== undefined) return statusFailure(status, bodyOf(error));
  if (error instanceof SdkError && error.code === SdkErrorCode.ClientHttpUnexpectedContent)
    return new BridgeError(
      "MCP_REQUEST_FAILED",
      "It answers with neither JSON nor events. Is this the URL of an MCP server?",
    );
  if (isUnreadable(error)) return new BridgeError("MCP_REQUEST_FAILED", notMcp);
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : undefined;
}

/** Whether the library could not read a body: it is not JSON, or no message. */
function isUnreadable(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Error && "issues" in error);
}

const unauthorized = 401;

function statusOf(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status;
  return error instanceof SseError ? error.code : undefined;
}

function bodyOf(error: unknown): string {
  const text = error instanceof SdkHttpError ? error.data.text : undefined;
  return typeof text === "string" ? text : "";
}

/** How a server rejected a request. */
export interface Rejection {
  /** What it says, as far as is known. */
  readonly words: string;
  /** Whether it asks for a token of a login. */
  readonly asksForToken: boolean;
}

const noWords: Rejection = { words: "", asksForToken: false };

/** The error of a call to a server that wants to know who the user is. */
export function needsLogin(
  { name, target, loginCommand, secrets }: ServerPlace,
  { words, asksForToken }: Rejection = noWords,
): BridgeError {
  const names = "headers" in target ? Object.keys(target.headers) : [];
  const hasToken = names.some((header) => header.toLowerCase() === "authorization");
  // Another header need not be a key where the server asks for a token.
  if (hasToken || (names.length > 0 && !asksForToken)) {
    const [what, check] = hasToken && names.length === 1 ? ["Authorization header", "its value"] : ["headers", "them"];
    const status = redact(statusLine(401, words), secrets);
    return new BridgeError(
      "MISSING_CREDENTIALS",
      `The MCP server ${name} rejected the ${what} that you added it with (${status}). Check ${check}.`,
    );
  }
  return new BridgeError("MISSING_CREDENTIALS", `The MCP server ${name} requires a login.`, [loginCommand]);
}

/** The error of a call that needs more than the user has allowed. The next login asks for it. */
export async function needsScope(
  { name, dataDir, url, loginCommand }: ServerPlace,
  scope: string,
): Promise<BridgeError> {
  await changeLogins(dataDir, url, (file) => {
    const wanted = computeScopeUnion(file.wantedScope, currentLogin(file)?.tokens?.scope, scope);
    return wanted === undefined ? undefined : { ...file, wantedScope: wanted };
  });
  return new BridgeError(
    "MISSING_CREDENTIALS",
    `The MCP server ${name} requires a login with more rights${scope === "" ? "" : `: ${scope}`}.`,
    [loginCommand],
  );
}
