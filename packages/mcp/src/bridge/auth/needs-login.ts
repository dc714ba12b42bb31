import { redact } from "@ikigai/system";
import { computeScopeUnion } from "@modelcontextprotocol/client";
import { changeLogins, currentLogin } from "../../server/login-file.ts";
import { BridgeError } from "../bridge-error.ts";
import { statusLine } from "../http/status-failure.ts";
import type { ServerPlace } from "../server-place.ts";

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
