import { resolve } from "node:path";
import type { JsonValue } from "@ikigai/protocol";
import { isStdio, readServerEntry, type ServerEntry } from "./server-entry.ts";

/** An entry that ikigai can use, or why it cannot: a sentence. */
export type PortedEntry = { readonly entry: ServerEntry } | { readonly problem: string };

/** The longest entry, in characters of JSON: a person reads it before it is started. */
const maxEntryLength = 16_384;

/** What editors fill in and ikigai does not, and what only ikigai writes. */
const foreign =
  /\$\{(?:(?:input|command|config|file|secret):[^{}]*|package|workspace(?:Folder|FolderBasename|Root)(?::[^{}]*)?|userHome|cwd|pathSeparator|\/)\}/;

const variable = /\$\{[^{}]*\}/;

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
  const unknown = textsOf(entry).flatMap((text) => foreign.exec(text)?.[0] ?? [])[0];
  if (unknown !== undefined)
    return { problem: `It has ${unknown}, which ikigai does not fill in. Write the value, or \${VAR} for a variable.` };
  if (!isStdio(entry)) {
    const url = plainUrl(plain(entry.url));
    return url === undefined
      ? { problem: "Its URL is invalid or ambiguous. Write https://HOST/PATH in ASCII, without a user name or spaces." }
      : { entry: { ...entry, url, headers: allPlain(entry.headers) } };
  }
  const { command, args, env } = entry;
  const word = [command, ...args].flatMap((text) => variable.exec(text)?.[0] ?? [])[0];
  if (word !== undefined)
    return {
      problem: `It has ${word} in its command line, where ikigai fills in nothing: everyone on the machine can read that. Write the value, or pass it by "env".`,
    };
  // A path, unlike a name that is looked up in PATH.
  const program = command.includes("/") ? resolve(directory, command) : command;
  return { entry: { ...entry, command: program, env: allPlain(env) } };
}

function textsOf(entry: ServerEntry): readonly string[] {
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
