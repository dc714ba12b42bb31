import type { RegisteredTool } from "@ikigai/core";
import type { JsonObject } from "@ikigai/protocol";

/** A web address in which every program finds the same host. */
export interface PlainUrl {
  /** As the WHATWG standard writes it. */
  readonly href: string;
  /** In lower case and punycode, without a dot at the end; an IPv4 address in an IPv6 address as IPv4. */
  readonly host: string;
  readonly port: number;
  /** Whether the port is the scheme's. */
  readonly isDefaultPort: boolean;
}

/** The ports of the schemes that rules know. */
const ports: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** White space, control and invisible characters, and the backslash: some programs skip them, others end the host there. */
const doubtful = /[\\\s\p{Cc}\p{Cf}\p{Z}]/u;

/**
 * A name as it can be looked up, or an address; some programs end the host at any other character, and some proxies leave out dots with
 * nothing between them.
 */
const plainHost = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:]+\])$/;

/** A scheme, two slashes, and a host and port without a user's name. */
const start = /^https?:\/\/[^/?#@]+(?:[/?#]|$)/i;

/**
 * Reads an address of http or https. `undefined` for other texts, and if programs may find different hosts in it: one with a user's
 * name, or with characters in the host that no host's name has, for instance.
 */
export function readUrl(text: string): PlainUrl | undefined {
  if (doubtful.test(text) || !start.test(text) || !URL.canParse(text)) return undefined;
  const { href, protocol, hostname, port } = new URL(text);
  if (!plainHost.test(hostname)) return undefined;
  const usual = ports[protocol] ?? 0;
  return { href, host: sameHost(hostname), port: port === "" ? usual : Number(port), isDefaultPort: port === "" };
}

/** Whether a text is an address of http or https in which programs may find different hosts. */
export function isDoubtfulUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && readUrl(text) === undefined;
}

/** One spelling for hosts that are the same: `docs.rs.` and `docs.rs`, `[::ffff:7f00:1]` and `127.0.0.1`. */
function sameHost(hostname: string): string {
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname) ?? [];
  if (high === undefined || low === undefined) return hostname.replace(/\.$/, "");
  const bytes = [high, low].map((part) => Number.parseInt(part, 16)).flatMap((part) => [part >> 8, part & 255]);
  return bytes.join(".");
}

/** A call, and the arguments that its tool reads. */
interface AddressCall {
  readonly tool: RegisteredTool;
  readonly args: JsonObject;
}

/** Whether a shipped tool may check the address of a call. */
function hasAddress({ tool, args }: AddressCall): boolean {
  return tool.scope === "system" && typeof args.url === "string" && URL.canParse(args.url);
}

/** Why the tool would refuse the address of a call, without a question. `undefined` if it would not, or may not. Loads the address policy. */
export async function refusedAddress(call: AddressCall, env = process.env): Promise<string | undefined> {
  if (!hasAddress(call)) return undefined;
  const { allowVariable, certainRefusal } = await import("@ikigai/http");
  if (!call.tool.schema.ikigai?.needs?.env?.includes(allowVariable)) return undefined;
  const { message, details } = certainRefusal(new URL(String(call.args.url)), env) ?? {};
  return message && [message.replace(/^Blocked: /, ""), ...(details?.help?.steps ?? [])].join(" ");
}
