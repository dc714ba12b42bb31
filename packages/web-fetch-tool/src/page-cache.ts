// Pages of the last minutes, in files: read, written, and removed when they are old.

import { accessSync, constants, lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Hop } from "@ikigai/http";
import { isJsonObject, type JsonValue } from "@ikigai/protocol";
import {
  makeDirectories,
  parseObject,
  privateDirectoryMode,
  privateFileMode,
  readRegularFile,
  temporaryName,
  userHome,
} from "@ikigai/system";

/** A page as the tool shows it. */
export interface Page {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly title?: string;
  readonly text: string;
  /** How many invisible characters its text had. */
  readonly removed?: number;
  /** Whether it has almost no text, but a script. */
  readonly isSparse?: boolean;
  /** The servers that it came through. */
  readonly hops: readonly Hop[];
}

/** The place of one page. */
export interface PageCache {
  /** Returns the page if it was written less than 15 minutes ago. Never throws because of a file's content. */
  read(): Page | undefined;
  /** Stores the page, and removes the oldest if there are too many. Does nothing if the system refuses: the page was fetched anyway. */
  write(page: Page): void;
}

/** Long enough to read a page in parts; a page that changes is not shown as it was an hour ago. */
const maxAgeMs = 900_000;

/** All pages together, and one of them, in bytes. */
const maxBytes = 52_428_800;
const maxPageBytes = maxBytes / 2;

/** Returns the place of the page with this key. Removes pages that are too old, whatever becomes of the call. */
export function pageCache(env: NodeJS.ProcessEnv, key: string): PageCache {
  const directory = cacheDirectory(env);
  if (directory === undefined) return { read: () => undefined, write: () => {} };
  unlessRefused(() => removeOld(directory));
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256").update(key).digest("hex");
  const path = join(directory, `${hash}.json`);
  return {
    read: () => unlessRefused(() => readPage(readRegularFile(path, maxPageBytes).toString(), key)),
    write: (page) =>
      unlessRefused(() => {
        const text = JSON.stringify({ key, storedAtMs: Date.now(), page });
        if (Buffer.byteLength(text) > maxPageBytes) return;
        const temporary = temporaryName(path);
        try {
          writeFileSync(temporary, text, { flag: "wx", mode: privateFileMode });
          renameSync(temporary, path);
        } catch (error) {
          // Half of a page, on a full disk.
          rmSync(temporary, { force: true });
          throw error;
        }
        removeOld(directory);
      }),
  };
}

/** Returns `undefined` if the system refuses, or a file is not what it should be. */
function unlessRefused<Value>(action: () => Value): Value | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) throw error;
    return undefined;
  }
}

/** Reads a stored page. Whatever the file contains, the result is a page, or nothing. */
function readPage(text: string, wanted: string): Page | undefined {
  const { key, storedAtMs, page } = parseObject(text) ?? {};
  if (key !== wanted || typeof storedAtMs !== "number" || !isJsonObject(page)) return undefined;
  const ageMs = Date.now() - storedAtMs;
  if (!(ageMs >= 0 && ageMs < maxAgeMs)) return undefined;
  const { url, status, contentType, title, text: content, removed, isSparse, hops } = page;
  if (typeof url !== "string" || status !== 200 || typeof contentType !== "string" || typeof content !== "string")
    return undefined;
  const visited = readHops(hops);
  if (visited?.at(-1)?.url !== url) return undefined;
  const more = {
    ...(typeof title === "string" && { title }),
    ...(Number.isSafeInteger(removed) && { removed: Number(removed) }),
    ...(isSparse === true && { isSparse }),
  };
  return { url, status, contentType, text: content, hops: visited, ...more };
}

function readHops(list: JsonValue | undefined): Hop[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const hops = list.flatMap((value): Hop[] => {
    const { url, address } = isJsonObject(value) ? value : {};
    if (typeof url !== "string" || !(address === undefined || typeof address === "string")) return [];
    return [{ url, ...(address !== undefined && { address }) }];
  });
  return hops.length === list.length ? hops : undefined;
}

/** Removes pages that are too old, then the oldest until the rest is not too large. */
function removeOld(directory: string): void {
  const oldestMs = Date.now() - maxAgeMs;
  const files = readdirSync(directory)
    .map((name) => join(directory, name))
    .map((path) => ({ path, stats: lstatSync(path, { throwIfNoEntry: false }) }))
    .flatMap(({ path, stats }) =>
      stats?.isDirectory() === false ? [{ path, bytes: stats.size, atMs: stats.mtimeMs }] : [],
    )
    .sort((one, other) => other.atMs - one.atMs);
  let total = 0;
  for (const { path, bytes, atMs } of files) {
    total += bytes;
    if (total > maxBytes || atMs < oldestMs) rmSync(path, { force: true });
  }
}

/**
 * Returns the directory for pages: `${XDG_CACHE_HOME:-~/.cache}/ikigai/web`, or one in $TMPDIR if that cannot be written. In a sandbox
 * the tool's data directory: other tools there share the rest, and could forge pages. Creates it. `undefined` if none is a directory that
 * only this user can read and change.
 */
export function cacheDirectory(env: NodeJS.ProcessEnv): string | undefined {
  const { IKIGAI_SANDBOX = "", IKIGAI_DATA_DIR } = env;
  const candidates = IKIGAI_SANDBOX === "" ? userDirectories(env) : [IKIGAI_DATA_DIR && join(IKIGAI_DATA_DIR, "web")];
  return candidates.find((path): path is string => path !== undefined && path !== "" && isPrivate(path));
}

function userDirectories(env: NodeJS.ProcessEnv): (string | undefined)[] {
  const { XDG_CACHE_HOME = "" } = env;
  const home = userHome(env);
  const own = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : home && join(home, ".cache");
  return [own && join(own, "ikigai/web"), join(tmpdir(), `ikigai-web-${process.getuid?.() ?? "user"}`)];
}

/** Whether a directory, created if it is missing, is this user's and closed to others. */
function isPrivate(path: string): boolean {
  try {
    makeDirectories(path, privateDirectoryMode);
    const { uid, mode } = lstatSync(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return lstatSync(path).isDirectory() && uid === (process.getuid?.() ?? uid) && (mode & 0o077) === 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return false;
  }
}
