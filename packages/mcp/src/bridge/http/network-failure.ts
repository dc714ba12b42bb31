import { networkInterfaces } from "node:os";
import { ProxyError } from "@ikigai/system";
import { BridgeError } from "../bridge-error.ts";

/** A request that failed. */
export interface FailedRequest {
  readonly url: URL;
  /** The server's name. */
  readonly server: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What a connection fails with in a sandbox of macOS without a network. Bubblewrap's has a loopback of its own. */
const noNetwork = new Set(["ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH", "EACCES", "EPERM"]);

/** Explains why a server could not be reached, or its response ended early. */
export function networkFailure(error: unknown, { url, server, env }: FailedRequest): unknown {
  if (error instanceof BridgeError) return error;
  const { code = "", message = "" } = error as NodeJS.ErrnoException;
  if (lacksNetwork(env, connectionCode(error)))
    return new BridgeError("NETWORK_DENIED", `The sandbox has no network, so ${url.host} cannot be reached.`, [
      `Allow it for this server: ikigai config set 'tools.mcp__${server.replaceAll("-", "_")}__*.network' true`,
    ]);
  if (error instanceof ProxyError) return new BridgeError("MCP_REQUEST_FAILED", error.message);
  const text = reasonFor(code, url);
  return new BridgeError("MCP_REQUEST_FAILED", text ?? `${url.host} cannot be reached: ${message || code}.`);
}

/** The code of the connection that failed: of the proxy's, if it was that one. */
function connectionCode(error: unknown): string {
  const failed = error instanceof ProxyError ? error.cause : error;
  return (failed as NodeJS.ErrnoException | undefined)?.code ?? "";
}

/** Whether a connection has failed because the sandbox has no network. */
function lacksNetwork({ IKIGAI_SANDBOX: sandbox }: NodeJS.ProcessEnv, code: string): boolean {
  if (!sandbox) return false;
  if (sandbox !== "bubblewrap") return noNetwork.has(code);
  return Object.values(networkInterfaces()).every((addresses) => addresses?.every(({ internal }) => internal));
}

function reasonFor(code: string, { host, hostname }: URL): string | undefined {
  if (code === "ECONNREFUSED") return `${host} refused the connection. Is the server running?`;
  if (code === "ENOTFOUND") return `Host not found: ${hostname}.`;
  if (code === "HPE_HEADER_OVERFLOW") return `The headers of the response of ${host} are longer than 16 KiB.`;
  if (code.startsWith("HPE_")) return `${host} does not answer with HTTP (${code}).`;
  if (code === "ECONNRESET" || code === "EPIPE" || code === "ERR_STREAM_PREMATURE_CLOSE")
    return `${host} closed the connection (${code}).`;
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code))
    return `The certificate of ${host} was rejected (${code}). If you trust it, set NODE_EXTRA_CA_CERTS to the file of its CA certificate.`;
  if (code === "EPROTO" || code.startsWith("ERR_SSL"))
    return `${host} does not use TLS. Should the URL begin with http://?`;
  return undefined;
}
