import { createHash } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { expandEntry, type Inspection, isStdio, removeOldest } from "@ikigai/mcp";
import { isJsonObject } from "@ikigai/protocol";
import { parseObject, readRegularFile, writePrivateFile } from "@ikigai/system";
import { version } from "../own-paths.ts";
import type { AcceptedServer } from "./named-server.ts";

/** What a server listed, and when, in ISO 8601. */
export interface ServerList extends Pick<Inspection, "facts" | "tools" | "transport"> {
  readonly listedAt: string;
}

/** What a list depends on. */
export interface ListCircumstances {
  readonly env: NodeJS.ProcessEnv;
  /** The server can ask for it. */
  readonly projectDir: string;
  /** Whether the server runs in the sandbox. */
  readonly isSandboxed: boolean;
}

/** A remote server changes without a trace here, and so does what `npx` fetches: lists are kept for a day, in milliseconds. */
const maxAgeMs = 24 * 3_600_000;

const maxLists = 100;

/** Where the list of a server is kept: another entry, value, file of its command, directory or version gives another path. */
export function listPath(
  home: string,
  { name, entry, isLiteral }: AcceptedServer,
  { env, projectDir, isSandboxed }: ListCircumstances,
): string {
  const expanded = expandEntry(entry, {}, env, { isLiteral: isLiteral === true });
  const words = isStdio(entry) ? [entry.command, ...entry.args] : [];
  const files = words.filter(isAbsolute).map(stateOf);
  const text = JSON.stringify([version, name, expanded, files, projectDir, isSandboxed]);
  return join(home, "cache", "mcp-lists", `${createHash("sha256").update(text).digest("hex")}.json`);
}

/** Reads a list; `undefined` if it is missing, damaged or too old. */
export function readList(path: string): ServerList | undefined {
  try {
    const { facts, tools, listedAt, ...list } = parseObject(readRegularFile(path).toString()) ?? {};
    const ageMs = Date.now() - Date.parse(String(listedAt));
    if (!(ageMs >= 0 && ageMs < maxAgeMs) || !isJsonObject(facts) || !Array.isArray(tools)) return undefined;
    // ikigai has written the file, and only the user can.
    return { ...list, facts, tools, listedAt } as unknown as ServerList;
  } catch {
    return undefined;
  }
}

/** Keeps a list. Write errors are ignored: the next conversation asks the server again. */
export function writeList(path: string, list: ServerList): void {
  try {
    writePrivateFile(path, JSON.stringify(list));
    removeOldest(join(path, ".."), maxLists);
  } catch {
    // Full or read-only.
  }
}

/** Forgets a list that the server no longer has. */
export function forgetList(path: string): void {
  rmSync(path, { force: true });
}

function stateOf(path: string): string {
  try {
    const { dev, ino, size, mtimeMs } = statSync(path);
    return `${dev}.${ino}.${size}.${mtimeMs}`;
  } catch {
    return "";
  }
}
