import { ProxyError } from "@ikigai/system";
import { proxyFor, proxyVariable } from "@ikigai/system/proxy";
import { sanitiseLine } from "../../render/sanitise.ts";
import { fine, type Line, note, type Section } from "./section.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxies of the environment; without one, no section. Contacts none. */
export function checkProxy(env: Environment): Section[] {
  const lines = ["http:", "https:"].flatMap((protocol) => checkProtocol(protocol, env));
  if (lines.length === 0) return [];
  const direct = (env.no_proxy || env.NO_PROXY || "").split(/[\s,]+/).filter((name) => name !== "");
  const exceptions = sanitiseLine(["localhost", "127.0.0.0/8", "[::1]", ...direct].join(", "));
  return [{ title: "Proxy", lines: [...lines, fine(`not used for ${exceptions}`)] }];
}

function checkProtocol(protocol: string, env: Environment): Line[] {
  const name = proxyVariable(protocol, env);
  if (name === undefined) return [];
  try {
    // NO_PROXY is not for all hosts.
    const proxy = proxyFor(new URL(`${protocol}//host.invalid`), { [name]: env[name] });
    return proxy === undefined ? [] : [fine(`${protocol}// through ${sanitiseLine(proxy.host)} (${name})`)];
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error;
    return [note(sanitiseLine(error.message))];
  }
}
