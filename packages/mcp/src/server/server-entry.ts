import { isJsonObject, type JsonObject, type JsonValue, needProblem, type ToolNeeds } from "@ikigai/protocol";

/** A server that is a program of this machine. */
export interface StdioEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute; without one, the server's data directory. */
  readonly cwd?: string;
}

/** A remote server. */
export interface HttpEntry {
  readonly type: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A server as `.mcp.json` describes it. */
export type ServerEntry = StdioEntry | HttpEntry;

/** What a path of the package itself begins with in the `command` and `args` of an entry. */
export const inPackage = `\${package}/`;

export function isStdio(entry: ServerEntry): entry is StdioEntry {
  return "command" in entry;
}

/** Adds the host of a remote server to what it needs in the sandbox. */
export function withOwnHost(needs: ToolNeeds | undefined, entry: ServerEntry): ToolNeeds | undefined {
  if (isStdio(entry) || !URL.canParse(entry.url)) return needs;
  const { host } = new URL(entry.url);
  // An address, this computer, or a variable.
  if (needProblem("hosts", host) !== undefined || needs?.hosts?.includes(host)) return needs;
  return { ...needs, hosts: [host, ...(needs?.hosts ?? [])] };
}

/**
 * Reads an entry of `mcpServers`, or says what is wrong with it. Ignores fields of other programs.
 *
 * @param allowsSecrets whether `${secret:KEY}` may occur: only in files that ikigai has written.
 */
export function readServerEntry(
  value: JsonValue | undefined,
  { allowsSecrets = false } = {},
): ServerEntry | { readonly problem: string } {
  if (!isJsonObject(value)) return { problem: "Expected an object." };
  if (!allowsSecrets && JSON.stringify(value).includes(`\${secret:`))
    return { problem: `It refers to \${secret:…}, which only ikigai may write.` };
  const { type = "command" in value ? "stdio" : "http" } = value;
  if (!("type" in value || "command" in value || "url" in value)) return { problem: 'Expected "command" or "url".' };
  if (type === "stdio") return readStdio(value);
  if (type === "http" || type === "sse" || type === "streamable-http") return readHttp(value, type === "sse");
  return { problem: `Expected "type" to be stdio, http or sse, got ${JSON.stringify(type)}.` };
}

function readStdio({ command, args = [], env = {}, cwd }: JsonObject): StdioEntry | { readonly problem: string } {
  if (!isText(command) || command === "") return { problem: 'Expected "command" to be a program.' };
  if (!Array.isArray(args) || !args.every(isText)) return { problem: 'Expected "args" to be a list of texts.' };
  const variables = textsOf(env, variableName);
  if (variables === undefined) return { problem: 'Expected "env" to be an object of variables and texts.' };
  if (cwd !== undefined && !(isText(cwd) && cwd.startsWith("/")))
    return { problem: `Expected "cwd" to be an absolute path, got ${JSON.stringify(cwd)}.` };
  return { command, args, env: variables, ...(cwd !== undefined && { cwd }) };
}

function readHttp({ url, headers = {} }: JsonObject, isSse: boolean): HttpEntry | { readonly problem: string } {
  if (!isText(url) || !isAddress(url)) return { problem: 'Expected "url" to begin with http:// or https://.' };
  const texts = textsOf(headers, headerName);
  if (texts === undefined) return { problem: 'Expected "headers" to be an object of names and texts.' };
  return { type: isSse ? "sse" : "http", url, headers: texts };
}

/** A variable in an address is expanded later. */
function isAddress(url: string): boolean {
  return /^https?:\/\//.test(url) || /^\$\{/.test(url);
}

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Numbers and booleans are what a person writes for texts. */
function textsOf(value: JsonValue, name: RegExp): Readonly<Record<string, string>> | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  const isValid = entries.every(([key, one]) => name.test(key) && /^(string|number|boolean)$/.test(typeof one));
  if (!isValid || entries.some(([, one]) => !isText(String(one)))) return undefined;
  return Object.fromEntries(entries.map(([key, one]) => [key, String(one)]));
}

/** NUL cannot be passed to a program. */
function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string" && !value.includes("\0");
}
