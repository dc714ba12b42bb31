import { computeScopeUnion } from "@modelcontextprotocol/client";
import { changeLogins, currentLogin } from "../../server/login-file.ts";
import { BridgeError } from "../bridge-error.ts";
import type { ServerPlace } from "../server-place.ts";

/** The error of a call to a server that wants to know who the user is. */
export function needsLogin({ name, target, loginCommand }: ServerPlace): BridgeError {
  const names = "headers" in target ? Object.keys(target.headers) : [];
  if (names.some((header) => header.toLowerCase() === "authorization"))
    return new BridgeError(
      "MISSING_CREDENTIALS",
      `The MCP server ${name} rejected the Authorization header that you added it with (HTTP 401). Check its value.`,
    );
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
