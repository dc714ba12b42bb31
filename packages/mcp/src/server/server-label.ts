import { basename, dirname, join } from "node:path";
import { readRegularFile, shellWord, withoutPassword } from "@ikigai/system";
import type { ServerEntry } from "./server-entry.ts";

// Every conversation loads this module, so it imports no other of this package.

export const serverFileName = "server.json";

/** The file in a server's data directory that says how its tools differ from those that were added. */
export const changesFileName = "changed.json";

/** What a conversation needs to know about a server. */
export interface ServerLabel {
  readonly name: string;
  readonly entry: ServerEntry;
  /** The npm package that its program came from. */
  readonly npm?: string | undefined;
  readonly instructions?: string;
  /** Set for a server of one conversation. */
  readonly isTemporary?: true;
}

/**
 * Reads what the package of a server says about it, as it was written: its hash is recorded.
 *
 * @throws the system's error, or a SyntaxError or TypeError, if it is missing or damaged.
 */
export function readServerLabel(path: string): ServerLabel {
  const label = JSON.parse(readRegularFile(join(path, serverFileName)).toString("utf8"));
  if (typeof label?.name === "string") return label;
  throw new TypeError(`Expected ${join(path, serverFileName)} to describe a server.`);
}

/** The data directory of a package, `packages/mcp-NAME/HASH` below the user's directory, if the host does not name it. */
export function dataOfPackage(path: string): string {
  const own = dirname(path);
  return join(dirname(dirname(own)), "data", basename(own));
}

/**
 * What answers the calls of a server: a command, an npm package with arguments, or a URL. Without values of the environment, and without
 * the parts of a URL that may be secret.
 */
export function serverTarget({ entry, npm }: Pick<ServerLabel, "entry" | "npm">): string {
  if ("url" in entry) return withoutPassword(entry.url).replace(/[?#].*$/s, "?…");
  return wordsOf(entry, npm).map(shellWord).join(" ");
}

function wordsOf({ command, args }: Extract<ServerEntry, { command: string }>, npm: string | undefined): string[] {
  // The first argument is the file of the package.
  return npm === undefined ? [command, ...args] : [`npm:${npm}`, ...args.slice(1)];
}
