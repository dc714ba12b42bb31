import { resolve } from "node:path";
import { dataOfPackage, readServerPackage, recordFailure, type ServerPackage } from "../server/server-file.ts";
import { type Connection, connect } from "./connect.ts";
import { type ServerPlace, serverPlace } from "./server-place.ts";

declare const IKIGAI_VERSION: string;

/** A server's package, and where its data is. */
export interface Bridge {
  readonly pack: ServerPackage;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
}

/** @throws the system's error, a SyntaxError or a TypeError if the package is not usable. */
export function openBridge(packageDir: string, env: NodeJS.ProcessEnv): Bridge {
  const path = resolve(packageDir);
  return { pack: readServerPackage(path), dataDir: env.IKIGAI_DATA_DIR || dataOfPackage(path), env };
}

/** The time that a server has to start, in milliseconds: what a host allows a service. */
const startMs = 59_000;

/** Starts the server of a package. @throws BridgeError. */
export async function connectPackage(
  { pack: { path, server }, dataDir, env }: Bridge,
  { log, signal }: { readonly log: (text: string) => void; readonly signal: AbortSignal },
): Promise<{ readonly connection: Connection; readonly place: ServerPlace }> {
  const { name, entry, isLiteral = false, isTemporary } = server;
  const projectDir = env.IKIGAI_PROJECT_DIR || process.cwd();
  const place = serverPlace({
    ...{ name, entry, packageDir: path, dataDir, env, projectDir, isLiteral },
    // The login of a server is stored in its data, which this one has for one conversation only.
    ...(isTemporary && { loginCommand: `ikigai mcp add ${name} URL` }),
  });
  const options = { version: IKIGAI_VERSION, known: server, timeoutMs: startMs, signal, log };
  try {
    return { connection: await connect(place, options), place };
  } catch (error) {
    if (isTemporary && !signal.aborted) recordFailure(dataDir);
    throw error;
  }
}
