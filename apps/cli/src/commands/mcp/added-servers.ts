import { join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { namedDataDirectory } from "@ikigai/core/internal";
import { packageName, readServerPackage, type ServerPackage } from "@ikigai/mcp";
import { type InstalledPackage, installedState, Refusal, readRecord, serverOf, toolRoot } from "@ikigai/tool-packages";

/** A server that was added. */
export interface AddedServer {
  readonly name: string;
  readonly record: InstalledPackage;
  /** `undefined` if the files of its package are missing or damaged. */
  readonly pack: ServerPackage | undefined;
  readonly dataDir: string;
  /** Whether its files are those that were added. */
  readonly isAsAdded: boolean;
}

/** The servers that the user has added, by name. @throws Refusal if the record is damaged. */
export function addedServers(places: Places): readonly AddedServer[] {
  const root = toolRoot(places, { isProject: false });
  return [...readRecord(root).values()].flatMap((record) => {
    const name = serverOf(record);
    if (name === undefined) return [];
    const dataDir = namedDataDirectory(packageName(name), "user", places);
    const pack = record.directory === undefined ? undefined : read(join(root.packages, record.directory));
    return { name, record, pack, dataDir, isAsAdded: pack !== undefined && installedState(record, root) === "same" };
  });
}

function read(path: string): ServerPackage | undefined {
  try {
    return readServerPackage(path);
  } catch {
    return undefined;
  }
}

/** The server with this name. @throws Refusal if there is no such server. */
export function addedServer(name: string, places: Places): AddedServer {
  const servers = addedServers(places);
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  const known = servers.length === 0 ? "None has been added." : `Known: ${servers.map((one) => one.name).join(", ")}.`;
  throw new Refusal(`No MCP server ${JSON.stringify(name)}. ${known}`);
}
