// The MCP servers of other agents, as the `ikigai mcp add …` lines that add them. Adding one starts it, and asks, so the import only prints the
// lines. A value that another agent's file has literally may be a key: it is never printed; the line takes it from a variable that has to be set.
// So does an argument of a server that looks like one.

import { AddedServer, nearServerName, readServerConfigFile, renderConfigFault } from "@ikigai/mcp";
import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";
import { shellWord } from "@ikigai/system";
import type { CommandContext } from "../command.ts";

/** The servers that ikigai lacks. */
export interface ServerLines {
  /** What adds them, with remarks on indented lines. */
  readonly lines: readonly string[];
  /** Those that cannot be added, and why. */
  readonly left: readonly string[];
}

/** A server as an agent's file has it, with variables in the form `${VAR}`. */
interface GivenServer {
  readonly name: string;
  readonly isDisabled: boolean;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Instead of the words. */
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

type Places = CommandContext["places"];

/** The servers of a file in the form that `ikigai mcp add --from` reads. */
export function serversOfFile(path: string, places: Places): ServerLines {
  const read = readServerConfigFile(path, places.projectDir);
  if ("problem" in read)
    return { lines: [], left: read.isUnreadable || !read.place ? [] : [renderConfigFault(path, read)] };
  const lacking = read.servers.filter(({ name }) => !AddedServer.rootOf(name, places));
  const left = lacking.flatMap((one) => {
    if (one.isDisabled) return [`MCP server ${one.given}: disabled in ${path}`];
    return "problem" in one ? [`MCP server ${one.given}: ${one.problem}`] : [];
  });
  const usable = lacking.filter((one) => "entry" in one && !one.isDisabled).map(({ name }) => name);
  return { lines: usable.length === 0 ? [] : [["ikigai mcp add --from", shellWord(path), ...usable].join(" ")], left };
}

/** The servers of a file in another form. */
export function serversOfAgent(servers: readonly GivenServer[], path: string, places: Places): ServerLines {
  const lines: string[] = [];
  const left: string[] = [];
  for (const server of servers) {
    const name = nearServerName(server.name);
    if (name !== undefined && AddedServer.rootOf(name, places)) continue;
    const why = whyLeft(server);
    if (name === undefined || why !== undefined)
      left.push(`MCP server ${server.name}: ${why ?? "its name has neither a letter nor a digit"} (${path})`);
    else lines.push(...linesOf(server, name, path));
  }
  return { lines, left };
}

function whyLeft({ isDisabled, words, url, env, headers }: GivenServer): string | undefined {
  if (isDisabled) return "it is disabled";
  if (url === undefined && words.length === 0) return "it has neither a command nor a URL";
  const texts = [url ?? "", ...words];
  if ([...texts, ...Object.values(env), ...Object.values(headers)].some((text) => text.includes("{file:")))
    return "it takes a value from a file; pass it in a variable: ikigai help mcp add";
  if (words.some((word) => /\$\{/.test(word)))
    return "its command line has a variable, which ikigai does not fill in; pass it with --env: ikigai help mcp add";
  return url !== undefined && /[?#@]/.test(url) ? "its URL may have a key: ikigai mcp add NAME 'URL'" : undefined;
}

/** All of it is a reference to the environment, perhaps after the scheme of a header. */
const reference = /^(?:(?:Bearer|Basic|Token) +)?\$\{\w+\}$/i;

function linesOf({ words, env, cwd, url, headers, include, exclude }: GivenServer, name: string, path: string) {
  const toSet: string[] = [];
  const taken = (variable: string) => {
    toSet.push(variable);
    return variable;
  };
  const variables = Object.entries(env).map(([key, value]) => {
    if (value === `\${${key}}`) return key;
    return reference.test(value) ? `${key}=${value}` : taken(key);
  });
  const sent = Object.entries(headers).map(([key, value]) => {
    if (reference.test(value)) return `${key}: ${value}`;
    return `${key}: \${${taken(variableOf(name, key))}}`;
  });
  const given = (option: string, values: readonly string[]) => values.flatMap((value) => [option, shellWord(value)]);
  const program = words.map((word, index) => {
    const before = words[index - 1] ?? "";
    const isNamed = keyName.test(before) && !word.startsWith("-");
    const [, option = "", key = isNamed ? before.replace(/^-+/, "") : "key"] = keyOption.exec(word) ?? [];
    if (option === "" && !isNamed && !keyPattern.test(word)) return shellWord(word);
    return `${option}"$${taken(variableOf(name, key))}"`;
  });
  const options = [...given("--include", include), ...given("--exclude", exclude)];
  const source =
    url === undefined
      ? [...given("--env", variables), ...options, "--", ...program]
      : [shellWord(url), ...given("--header", sent), ...options];
  return [
    ["ikigai mcp add", name, ...source].join(" "),
    ...(toSet.length > 0 ? [`  first set ${toSet.join(", ")}, here and for ikigai, to the value in ${path}`] : []),
    ...(cwd === undefined ? [] : [`  it ran in ${cwd}; here it runs in a directory of its own`]),
  ];
}

/** An option, or a variable before a program, whose value is a key. */
const keyName = /^-{1,2}[\w-]*(?:key|token|secret|passw|credential)[\w-]*$/i;
const keyOption = /^(-{0,2}([\w-]*(?:key|token|secret|passw|credential)[\w-]*)=)(.+)$/is;

/** The beginnings of keys of services, in a word or in the middle of one, such as a URL. */
const keyPattern =
  /\b(?:sk-|gh[pousr]_|github_pat_|glpat-|xox[abp]-|AKIA|AIza|npm_|hf_)[\w-]{12,}|:\/\/[^/@\s]+:[^/@\s]+@/;

function variableOf(name: string, key: string): string {
  return `${name}_${key}`.toUpperCase().replace(/\W/g, "_");
}

/** `[mcp_servers.NAME]` of Codex. */
export function codexServers(servers: unknown): GivenServer[] {
  return serversIn(servers, (one) => {
    const bearer = one.bearer_token_env_var;
    const passed = Array.isArray(one.env_vars) ? one.env_vars : [];
    const names = passed.map((variable) => (isJsonObject(variable) ? variable.name : variable));
    return {
      isDisabled: one.enabled === false,
      words: [one.command, ...listOf(one.args)],
      env: { ...Object.fromEntries(listOf(names).map((key) => [key, `\${${key}}`])), ...textsOf(one.env) },
      headers: {
        ...textsOf(one.http_headers),
        ...Object.fromEntries(Object.entries(textsOf(one.env_http_headers)).map(([key, name]) => [key, `\${${name}}`])),
        ...(typeof bearer === "string" && { Authorization: `Bearer \${${bearer}}` }),
      },
      include: listOf(one.enabled_tools),
      exclude: listOf(one.disabled_tools),
    };
  });
}

/** `mcpServers` of Gemini CLI, whose texts may have `$VAR`. @param mcp its lists of names that are used or not. */
export function geminiServers(servers: unknown, mcp: unknown): GivenServer[] {
  const allowed = isJsonObject(mcp) ? mcp : {};
  const plain = (text: string) => text.replace(/\$([A-Za-z_]\w*)/g, "$${$1}");
  return serversIn(servers, (one, name) => ({
    isDisabled:
      listOf(allowed.excluded).includes(name) ||
      (Array.isArray(allowed.allowed) && !listOf(allowed.allowed).includes(name)),
    words: [one.command, ...listOf(one.args)].map((word) => (typeof word === "string" ? plain(word) : word)),
    env: mapped(textsOf(one.env), plain),
    url: one.httpUrl ?? one.url,
    headers: mapped(textsOf(one.headers), plain),
    include: listOf(one.includeTools),
    exclude: listOf(one.excludeTools),
  }));
}

/** `mcp` of opencode, whose texts may have `{env:VAR}`. */
export function opencodeServers(servers: unknown): GivenServer[] {
  const plain = (text: string) => text.replace(/\{env:(\w+)\}/g, "$${$1}");
  return serversIn(servers, (one) => ({
    isDisabled: one.enabled === false,
    words: listOf(one.command).map(plain),
    env: mapped(textsOf(one.environment), plain),
    headers: mapped(textsOf(one.headers), plain),
    include: [],
    exclude: [],
  }));
}

interface ReadServer extends Pick<GivenServer, "isDisabled" | "env" | "headers" | "include" | "exclude"> {
  readonly words: readonly (JsonValue | undefined)[];
  readonly url?: JsonValue | undefined;
}

function serversIn(servers: unknown, read: (one: JsonObject, name: string) => ReadServer): GivenServer[] {
  return Object.entries(isJsonObject(servers) ? servers : {}).map(([name, value]) => {
    const one = isJsonObject(value) ? value : {};
    const { url = one.url, words, ...rest } = read(one, name);
    const text = (given: unknown) => (typeof given === "string" ? given : undefined);
    return { name, ...rest, words: listOf(words), url: text(url), cwd: text(one.cwd) };
  });
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(isJsonObject(value) ? value : {}).map(([key, one]) => [key, String(one)]));
}

function mapped(texts: Readonly<Record<string, string>>, change: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, change(text)]));
}
