import { join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { packageName, readServerPackage, type ServerPackage } from "@ikigai/mcp";
import {
  type InstalledPackage,
  installedState,
  packageData,
  Refusal,
  readRecord,
  serverOf,
  type ToolRoot,
  userRoots,
} from "@ikigai/tool-packages";

/** A server that was added. */
export interface AddedServer {
  readonly name: string;
  /** Where it was added. */
  readonly root: ToolRoot;
  readonly record: InstalledPackage;
  /** `undefined` if the files of its package are missing or damaged. */
  readonly pack: ServerPackage | undefined;
  readonly dataDir: string;
  /** Whether its files are those that were added. */
  readonly isAsAdded: boolean;
}

/** The servers that the user has added for this directory and for all, in this order. @throws Refusal if a record is damaged. */
export function addedServers(places: Places): readonly AddedServer[] {
  return userRoots(places).flatMap((root) =>
    [...readRecord(root).values()].flatMap((record) => {
      const name = serverOf(record);
      if (name === undefined) return [];
      const dataDir = packageData(packageName(name), root, places);
      const pack = record.directory === undefined ? undefined : read(join(root.packages, record.directory));
      const isAsAdded = pack !== undefined && installedState(record, root) === "same";
      return { name, root, record, pack, dataDir, isAsAdded };
    }),
  );
}

function read(path: string): ServerPackage | undefined {
  try {
    return readServerPackage(path);
  } catch {
    return undefined;
  }
}

/** Where a server, or another package of its name, has been added. @throws Refusal if a record is damaged. */
export function rootOf(name: string, places: Places): ToolRoot | undefined {
  return userRoots(places).find((root) => readRecord(root).has(packageName(name)));
}

/** The server with this name; of two, the one of this directory. @throws Refusal if there is no such server. */
export function addedServer(name: string, places: Places): AddedServer {
  const servers = addedServers(places);
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  const known = servers.length === 0 ? "None has been added." : `Known: ${servers.map((one) => one.name).join(", ")}.`;
  throw new Refusal(`No MCP server ${JSON.stringify(name)}. ${known}`);
}
