import { ModelError } from "../model/model-error.ts";

/** Error codes of connections that were closed or reset by the server, before or during the response. */
const closedCodes = new Set(["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE"]);

/**
 * Explains a network error. Refused connections and unknown hosts are not retried: waiting does not start a server.
 *
 * @param isOllama whether the server is Ollama; by default, its port says so.
 */
export function networkError(error: unknown, url: URL, isOllama = url.port === ollamaPort): ModelError {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED") return new ModelError("network", refused(url, isOllama));
  if (code === "ENOTFOUND") {
    return new ModelError("network", `Host not found: ${url.hostname}. Check the network and the base URL.`);
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code)) {
    const advice = /SELF_SIGNED|UNABLE_TO/.test(code) ? ` ${trustAdvice}` : "";
    return new ModelError("network", `Rejected the certificate of ${url.host}: ${message} (${code}).${advice}`);
  }
  if (code === "EPROTO" || code.startsWith("ERR_SSL")) {
    return new ModelError("network", `${url.host} does not use TLS. Should the base URL begin with http://?`);
  }
  const what = closedCodes.has(code) ? "closed the connection" : `cannot be reached: ${message}`;
  return new ModelError("network", `${url.host} ${what}${code && !what.includes(code) ? ` (${code})` : ""}.`, {
    retryable: true,
  });
}

/** Node reads this variable when it starts. */
const trustAdvice = "If you trust it, set NODE_EXTRA_CA_CERTS to the file of its CA certificate.";

/** Ollama's port. */
const ollamaPort = "11434";

function refused(url: URL, isOllama: boolean): string {
  const problem = `${url.host} refused the connection (ECONNREFUSED).`;
  return isOllama ? `Ollama at ${problem} To start it: ollama serve` : `${problem} Is the server running?`;
}
