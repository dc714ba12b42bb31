// The entry of a server: a program or a URL. In order: its types, how one is read, filled in with variables, taken from another
// program's configuration, and freed of its secrets.

import { resolve } from "node:path";
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

/** An entry with the values that it has now. */
export interface ExpandedEntry {
  readonly entry: ServerEntry;
  /** The variables that are not set and have no default, in order. */
  readonly missing: readonly string[];
}

const secret = /^\$\{secret:([^}]+)\}$/;
const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Fills in secrets, `${VAR}` and `${VAR:-default}` in the values of `env` and `headers` and in the address. The arguments of a
 * program stay as they are: every user of the machine can read them.
 *
 * @param isLiteral whether `${VAR}` is text like any other.
 */
export function expandEntry(
  entry: ServerEntry,
  secrets: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
  { isLiteral = false } = {},
): ExpandedEntry {
  const missing = new Set<string>();
  const filledIn = (text: string) =>
    text.replace(variable, (_, name: string, fallback: string | undefined) => {
      const value = env[name] || fallback;
      if (value === undefined) missing.add(name);
      return value ?? "";
    });
  const expand = (text: string) => {
    const known = withSecret(text, secrets);
    return isLiteral ? known : filledIn(known);
  };
  const expandAll = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, expand(value)]));
  const expanded = isStdio(entry)
    ? { ...entry, env: expandAll(entry.env) }
    : { ...entry, url: expand(entry.url), headers: expandAll(entry.headers) };
  return { entry: expanded, missing: [...missing] };
}

function withSecret(text: string, secrets: Readonly<Record<string, string>>): string {
  const key = secret.exec(text)?.[1];
  return key === undefined ? text : ((Object.hasOwn(secrets, key) ? secrets[key] : undefined) ?? "");
}

/** The environment variables that an entry and its secrets name. */
export function variablesOf(entry: ServerEntry, secrets: Readonly<Record<string, string>>): readonly string[] {
  const texts = isStdio(entry) ? Object.values(entry.env) : [entry.url, ...Object.values(entry.headers)];
  const named = [...texts, ...Object.values(secrets)].flatMap((text) =>
    [...text.matchAll(variable)].map(([, name = ""]) => name),
  );
  return [...new Set(named)].sort();
}

/** An entry that ikigai can use, or why it cannot: a sentence. */
export type PortedEntry = { readonly entry: ServerEntry } | { readonly problem: string };

/** The longest entry, in characters of JSON: a person reads it before it is started. */
const maxEntryLength = 16_384;

/** What editors fill in and ikigai does not, and what only ikigai writes. */
const foreign =
  /\$\{(?:(?:input|command|config|file|secret):[^{}]*|package|workspace(?:Folder|FolderBasename|Root)(?::[^{}]*)?|userHome|cwd|pathSeparator|\/)\}/;

/**
 * Reads an entry that another program's user has written. What ikigai would run in another way is a problem: a server must not be
 * started with a text like `${input:key}` where a value is meant.
 *
 * @param directory what a relative path of a program begins at.
 */
export function readPortableEntry(value: JsonValue, directory: string): PortedEntry {
  if (JSON.stringify(value).length > maxEntryLength)
    return { problem: `It has more than ${maxEntryLength} characters, too many to be checked by a person.` };
  const entry = readServerEntry(value);
  if ("problem" in entry) return entry;
  const unknown = allTexts(entry).flatMap((text) => foreign.exec(text)?.[0] ?? [])[0];
  if (unknown !== undefined)
    return { problem: `It has ${unknown}, which ikigai does not fill in. Write the value, or \${VAR} for a variable.` };
  if (!isStdio(entry)) {
    const url = plainUrl(plain(entry.url));
    return url === undefined
      ? { problem: "Its URL is invalid or ambiguous. Write https://HOST/PATH in ASCII, without a user name or spaces." }
      : { entry: { ...entry, url, headers: allPlain(entry.headers) } };
  }
  const { command, args, env } = entry;
  const word = [command, ...args].flatMap((text) => /\$\{[^{}]*\}/.exec(text)?.[0] ?? [])[0];
  if (word !== undefined)
    return {
      problem: `It has ${word} in its command line, where ikigai fills in nothing: everyone on the machine can read that. Write the value, or pass it by "env".`,
    };
  // A path, unlike a name that is looked up in PATH.
  const program = command.includes("/") ? resolve(directory, command) : command;
  return { entry: { ...entry, command: program, env: allPlain(env) } };
}

function allTexts(entry: ServerEntry): readonly string[] {
  if (!isStdio(entry)) return [entry.url, ...Object.values(entry.headers)];
  return [entry.command, ...entry.args, ...Object.values(entry.env), entry.cwd ?? ""];
}

/**
 * Returns a URL in its usual form: a person has to see which server it leads to, and `https://bad\\@good` leads to the first. With
 * a variable in it, it has no user, for the same reason.
 */
function plainUrl(url: string): string | undefined {
  if (!/^[!-[\]-~]+$/.test(url)) return undefined;
  if (url.includes("${")) return url.includes("@") ? undefined : url;
  return URL.canParse(url) ? new URL(url).href : undefined;
}

/** The variables of VS Code and Cursor, `${env:VAR}`, as those of `.mcp.json`. */
function plain(text: string): string {
  return text.replace(/\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, "$${$1}");
}

function allPlain(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, plain(text)]));
}

/** An entry without its secrets, and the secrets by the names that stand for them. */
export interface HiddenSecrets {
  readonly entry: ServerEntry;
  readonly secrets: Readonly<Record<string, string>>;
}

/** A reference to the environment, alone or after the scheme of a header: none of it is secret. */
const reference = /^(?:(?:Bearer|Basic|Token) +)?\$\{[A-Za-z_][A-Za-z0-9_]*\}$/i;

/**
 * Replaces the literal values of `env` and `headers`, and an address with a query or a user, by `${secret:KEY}`. A package is visible
 * to other tools, so it holds no value that may be a key.
 */
export function hideSecrets(entry: ServerEntry): HiddenSecrets {
  const secrets: Record<string, string> = {};
  const hide = (key: string, value: string) => {
    if (value === "" || reference.test(value)) return value;
    secrets[key] = value;
    return `\${secret:${key}}`;
  };
  const hideAll = (kind: string, values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, hide(`${kind}.${name}`, value)]));
  const hidden = isStdio(entry)
    ? { ...entry, env: hideAll("env", entry.env) }
    : {
        ...entry,
        headers: hideAll("headers", entry.headers),
        url: isPlainAddress(entry.url) ? entry.url : hide("url", entry.url),
      };
  return { entry: hidden, secrets };
}

/** Whether an address has neither a query, nor a fragment, nor a user. */
function isPlainAddress(url: string): boolean {
  return !/[?#@]/.test(url);
}
