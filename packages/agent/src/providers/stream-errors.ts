import { textStart } from "@ikigai/protocol";
import { ProxyError } from "@ikigai/system";
import { ModelError } from "../model/model-error.ts";
import { profileOf, type ServerProfile } from "./server-profiles.ts";

/** Error codes of connections that were closed or reset by the server, before or during the response. */
const closedCodes = new Set(["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE"]);

/**
 * Explains a network error. Refused connections and unknown hosts are not retried: waiting does not start a server.
 */
export function networkError(
  error: unknown,
  url: URL,
  profile = profileOf({ provider: "", baseUrl: url.href }),
): ModelError {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED") return new ModelError("network", refused(url, profile));
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

function refused(url: URL, { start }: ServerProfile): string {
  const problem = `${url.host} refused the connection (ECONNREFUSED).`;
  return start ? `${start.title} at ${problem} To start it: ${start.command}` : `${problem} Is the server running?`;
}

/** Returns a proxy's error as one of a model request; any other error unchanged. */
export function proxyFailure(error: unknown): unknown {
  return error instanceof ProxyError ? new ModelError(error.code, error.message, error.options) : error;
}

/** The error for a response that ended before the model had finished. */
export function brokenOff(): ModelError {
  return new ModelError("bad_stream", "The response broke off: the connection closed before the model finished.", {
    retryable: true,
  });
}

/** Longest type name that is shown, in characters. */
const maxTypeLength = 60;

/** An event that cannot be read. Retried only once, because retries cost money and rarely help. */
export function unreadableEvent(title: string, { type, why }: { type?: string; why: string }): ModelError {
  const kind = type === undefined ? "" : ` of type ${textStart(type, maxTypeLength)}`;
  const text = `${title} sent an event${kind} that ${why}. Check the base URL, and that any gateway is up to date.`;
  return new ModelError("bad_stream", text, { retryable: true, maxRetries: 1 });
}
