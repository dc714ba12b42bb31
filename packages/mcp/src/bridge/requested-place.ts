import type { JsonObject } from "@ikigai/protocol";
import { readServerEntry } from "../server/server-entry.ts";
import { BridgeError } from "./bridge-error.ts";
import { type ServerPlace, serverPlace } from "./server-place.ts";

/**
 * Reads how to reach the server of a request.
 *
 * @param request a JSON object with `name`, `entry`, `packageDir`, `dataDir`, `projectDir`, and `loginCommand` and `isLiteral` if they
 *   are not as usual.
 * @throws BridgeError.
 */
export function requestedPlace(request: JsonObject, env: NodeJS.ProcessEnv): ServerPlace {
  const entry = readServerEntry(request.entry, { allowsSecrets: true });
  if ("problem" in entry) throw new BridgeError("MCP_REQUEST_FAILED", entry.problem);
  const { name, packageDir, dataDir, projectDir, loginCommand, isLiteral } = request;
  return serverPlace({
    name: String(name),
    packageDir: String(packageDir),
    dataDir: String(dataDir),
    projectDir: String(projectDir),
    ...(typeof loginCommand === "string" && { loginCommand }),
    isLiteral: isLiteral === true,
    entry,
    env,
  });
}
