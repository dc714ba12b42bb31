import { ProxyError } from "@ikigai/system";
import { isLoopback } from "./addresses.ts";
import { hostRule as ruleFor } from "./door/target.ts";
import { WebError } from "./web-error.ts";
import { hostOf } from "./web-url.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const dnsCode = /^(?:ENOTFOUND|EAI_)/;
const tlsCode =
  /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;
/** The codes of zlib and brotli. */
const damagedCode = /^(?:Z_|ERR__ERROR_|ERR_BROTLI)/;

/** What fails without a network. */
const unreachableCode = /^(?:ENOTFOUND|EAI_|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED|EADDRNOTAVAIL|EPERM)/;

/** Turns what a request failed with into a failure for the model. Returns a bug unchanged. */
export function explainFailure(error: unknown, url: URL, env: Environment): unknown {
  if (error instanceof WebError) return error;
  const code = codeOf(error);
  const isUnreachable = error instanceof ProxyError ? error.options.status === undefined : unreachableCode.test(code);
  if (isUnreachable && isOffline(env, code)) return offline(url);
  if (error instanceof ProxyError) return new WebError("CONNECT_FAILED", error.message);
  const { message } = error as Error;
  if (code === "") return error;
  if (dnsCode.test(code)) return new WebError("DNS_FAILED", `Host not found: ${url.hostname} (${code}).`);
  if (tlsCode.test(code)) return tlsFailed(url, code, message);
  if (code === "HPE_HEADER_OVERFLOW")
    return new WebError("CONNECT_FAILED", `The headers of the response of ${url.host} are longer than 16 KiB.`);
  if (code.startsWith("HPE_"))
    return new WebError("CONNECT_FAILED", `${url.host} did not send a valid HTTP response (${code}).`);
  if (damagedCode.test(code))
    return new WebError("CONNECT_FAILED", `The compressed response of ${url.host} is damaged (${code}).`);
  if (code === "ERR_STREAM_PREMATURE_CLOSE" || message === "aborted")
    return new WebError("CONNECT_FAILED", `${url.host} closed the connection before the response was complete.`);
  return new WebError("CONNECT_FAILED", `Cannot connect to ${url.host}: ${message || code}.`);
}

function tlsFailed(url: URL, code: string, message: string): WebError {
  if (/EPROTO|ERR_SSL/.test(code))
    return new WebError("TLS_FAILED", `${url.host} does not accept a TLS connection (${code}).`, {
      hint: "Should the URL begin with http://?",
    });
  const steps = [
    `If ${url.host} has a certificate of your own authority, start ikigai with NODE_EXTRA_CA_CERTS set to its file.`,
  ];
  return new WebError("TLS_FAILED", `Rejected the certificate of ${url.host}: ${message} (${code}).`, {
    help: { steps },
  });
}

/** Whether the tool runs in a sandbox without network: on Linux only the loopback interface is left, macOS forbids the connection. */
function isOffline({ IKIGAI_SANDBOX }: Environment, code: string): boolean {
  if (IKIGAI_SANDBOX === undefined) return false;
  if (code === "EPERM") return true;
  const { networkInterfaces } = process.getBuiltinModule("node:os");
  return Object.values(networkInterfaces()).every((addresses = []) => addresses.every(({ internal }) => internal));
}

function offline(url: URL): WebError {
  const steps = [`If it is meant to be reachable, allow it with the rule ${hostRule(url)}.`];
  return new WebError("CONNECT_FAILED", `Cannot connect to ${url.host} from the sandbox.`, { help: { steps } });
}

/** The rule that opens the host of a URL. In a sandbox, its own localhost is another one than that of the machine. */
function hostRule(url: URL): string {
  const host = hostOf(url);
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  return isLoopback(host) ? `host(localhost:${port})` : ruleFor({ host, port });
}

/** The code of the error, of the connection to the proxy if that is the one that failed. */
function codeOf(error: unknown): string {
  const failed = error instanceof ProxyError ? error.cause : error;
  const code = failed instanceof Error ? (failed as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : "";
}
