import { withoutEnd, withoutPassword } from "@ikigai/system";
import { ModelError } from "../model/model-error.ts";
import { type ProviderName, providerTable } from "../model/provider-table.ts";

const versionPath: Record<ProviderName, string> = {
  anthropic: "v1",
  openai: "v1",
  google: "v1beta",
  "openai-compatible": "v1",
};

/** Endpoints that people copy along with the base URL. */
const endpointPattern = /\/(messages|responses|chat\/completions|completions|models)$/;

const versionPattern = /^v\d+\w*$/;

/**
 * Returns the URLs that a base URL may mean: with the provider's version path if it has none. A compatible server may have
 * none, so there the original URL comes second.
 *
 * @throws ModelError `configuration` if it is not an http URL.
 */
export function baseUrlsOf(provider: ProviderName, text: string): readonly [string, ...string[]] {
  const problem = baseUrlProblem(provider, text);
  if (problem !== undefined) {
    const { baseUrlVariable } = providerTable[provider];
    const places = `It comes from ${baseUrlVariable} or, without that, from providers.${provider}.baseUrl.`;
    throw new ModelError("configuration", `${problem} ${places}`);
  }
  const url = new URL(text);
  const path = withoutEnd(withoutEnd(url.pathname, "/").replace(endpointPattern, ""), "/");
  const credentials = url.username && `${url.username}${url.password && `:${url.password}`}@`;
  const plain = `${url.protocol}//${credentials}${url.host}${path}`;
  if (path.split("/").some((segment) => versionPattern.test(segment))) return [plain];
  const versioned = `${plain}/${versionPath[provider]}`;
  return provider === "openai-compatible" ? [versioned, plain] : [versioned];
}

/** Returns what is wrong with a base URL, if anything. */
export function baseUrlProblem(provider: ProviderName, text: string): string | undefined {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return undefined;
  return `Expected the base URL of ${provider} to be like https://host/v1, got ${JSON.stringify(withoutPassword(text))}.`;
}

/** Returns the server that a base URL means, in one spelling and without user name and password; `undefined` for an invalid one. */
export function serverOf(provider: ProviderName, baseUrl: string): string | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const url = new URL(baseUrl);
  url.username = "";
  url.password = "";
  return /^https?:$/.test(url.protocol) ? baseUrlsOf(provider, url.href)[0] : undefined;
}
