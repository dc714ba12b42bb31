// Searches the user's npm registry for packages with the keyword of tools.

import { sendRequest, WebError, type WebResponse } from "@ikigai/http";
import { parseObject, withoutEnd, withoutPassword } from "@ikigai/system";
import { fieldsOf, passesCheck } from "./package-tools.ts";
import { npmSpec } from "./read-source.ts";
import { Refusal } from "./refusal.ts";
import { npmEnvironment, runUserProgram } from "./user-programs.ts";

/** The keyword of packages with tools. */
const keyword = "ikigai-tool";

/** The most results: each costs a second request. */
const maxResults = 20;

/** A registry answers within a second; twenty results with their manifests take less than a tenth of the bytes. */
const limits = { totalMs: 20_000, firstByteMs: 10_000, bodyBytes: 2_097_152 };

/** A package that the registry found. Its texts are its author's: sanitise them. */
export interface FoundPackage {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Downloads in the last week; `undefined` if the registry does not say. */
  readonly weeklyDownloads: number | undefined;
  /** When this version was published. */
  readonly published: Date | undefined;
  /** What its package.json says: whether it passed `tool check` before it was published. */
  readonly passesCheck: boolean | undefined;
}

/** The answer of a registry. */
export interface Search {
  /** Without a password. */
  readonly registry: string;
  readonly found: readonly FoundPackage[];
}

/**
 * Asks the user's npm registry for tools; without words for all. Sends no login.
 *
 * @throws Refusal if npm is missing, or the registry cannot be reached or cannot search.
 */
export async function searchPackages(words: readonly string[], env: NodeJS.ProcessEnv): Promise<Search> {
  const base = await registryUrl(env);
  const registry = withoutPassword(base.href);
  const url = new URL("-/v1/search", base);
  url.searchParams.set("text", [`keywords:${keyword}`, ...words].join(" "));
  url.searchParams.set("size", String(maxResults));
  const response = await ask(url, env).catch((error: unknown) => {
    if (!(error instanceof WebError)) throw error;
    throw new Refusal(
      `Cannot search ${registry}: ${withoutPassword(error.message).replace(/\.$/, "")}. Check the network, and: npm config get registry. Folders, files and git repositories need no registry: ikigai tool add SOURCE`,
    );
  });
  const { objects } = objectOf(response) ?? {};
  if (!Array.isArray(objects)) throw new Refusal(`The registry ${registry} ${unusable(response.status, words)}`);
  const found = objects.flatMap(readResult).slice(0, maxResults);
  return {
    registry,
    found: await Promise.all(found.map(async (one) => ({ ...one, passesCheck: await checkOf(one, base, env) }))),
  };
}

/** The registry of the user's settings, not of the project's .npmrc. */
async function registryUrl(env: NodeJS.ProcessEnv): Promise<URL> {
  const options = { cwd: "/", env: npmEnvironment(env) };
  const { stdout, stderr } = await runUserProgram("npm", ["config", "get", "registry"], options);
  const text = stdout.trim();
  if (URL.canParse(text) && /^https?:/i.test(text)) return new URL(`${withoutEnd(text, "/")}/`);
  const got = withoutPassword(text || stderr.trim());
  throw new Refusal(`Expected the URL of a registry from npm config get registry, got ${JSON.stringify(got)}.`);
}

function ask(url: URL, env: NodeJS.ProcessEnv): Promise<WebResponse> {
  return sendRequest({ url, env, headers: { accept: "application/json" }, limits, isTrusted: true });
}

function objectOf({ status, body }: WebResponse): Readonly<Record<string, unknown>> | undefined {
  return status === 200 ? parseObject(body.toString("utf8")) : undefined;
}

function unusable(status: number, words: readonly string[]): string {
  const query = [`keywords:${keyword}`, ...words].join(" ");
  if (status === 401 || status === 403)
    return `needs a login (${status}), which ikigai does not send. Search with npm: npm search ${query}`;
  if (status === 429 || status >= 500) return `cannot answer now (${status}). Try again later.`;
  return `has no usable search (${status}). Search another one: npm_config_registry=https://registry.npmjs.org ikigai tool search`;
}

/** Reads one result; none if it has no usable name, or the registry ignored the keyword. */
function readResult(value: unknown): Omit<FoundPackage, "passesCheck">[] {
  const { name, version, description, date, keywords } = fieldsOf(fieldsOf(value).package);
  if (typeof name !== "string" || !isPackageName(name)) return [];
  if (Array.isArray(keywords) && !keywords.includes(keyword)) return [];
  const { weekly } = fieldsOf(fieldsOf(value).downloads);
  const published = new Date(typeof date === "string" ? date : Number.NaN);
  return [
    {
      name,
      version: typeof version === "string" ? version : "",
      description: typeof description === "string" ? description : "",
      weeklyDownloads: typeof weekly === "number" ? weekly : undefined,
      published: Number.isNaN(published.getTime()) ? undefined : published,
    },
  ];
}

/** Whether `tool add` would read this as the name of a package. */
function isPackageName(name: string): boolean {
  return name.length <= 214 && npmSpec.test(name) && !name.startsWith("-") && !name.includes("@", 1);
}

/** Reads the record in the package's manifest. Without a manifest the result is still useful. */
async function checkOf(
  { name, version }: Omit<FoundPackage, "passesCheck">,
  base: URL,
  env: NodeJS.ProcessEnv,
): Promise<boolean | undefined> {
  const url = new URL(`${name.replace("/", "%2f")}/${encodeURIComponent(version || "latest")}`, base);
  try {
    return passesCheck(objectOf(await ask(url, env)) ?? {});
  } catch (error) {
    if (error instanceof WebError) return undefined;
    throw error;
  }
}
