// The servers that were added: found by name, with their state.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readRegularFile } from "@ikigai/system";
import { type InstalledPackage, Refusal, ToolRoot } from "@ikigai/tool-packages";
import { wrappedBridge, wrappedLine, wrapperFileName } from "../server/package-files.ts";
import { lacksLogin, readSecrets } from "../server/secrets-file.ts";
import { expandEntry, isStdio } from "../server/server-entry.ts";
import {
  changesFileName,
  packageName,
  readServerPackage,
  type ServerPackage,
  serverTarget,
} from "../server/server-file.ts";

interface UserPlaces {
  readonly home: string;
  readonly projectDir: string;
}

/** A server that was added. */
export class AddedServer {
  readonly name: string;
  /** Where it was added. */
  readonly root: ToolRoot;
  readonly record: InstalledPackage;
  /** `undefined` if the files of its package are missing or damaged. */
  readonly pack: ServerPackage | undefined;
  readonly dataDir: string;
  /** Whether its files are those that were added. */
  readonly isAsAdded: boolean;

  private constructor(name: string, record: InstalledPackage, root: ToolRoot, places: UserPlaces) {
    this.name = name;
    this.root = root;
    this.record = record;
    this.dataDir = root.dataOf(packageName(name), places);
    this.pack = record.directory === undefined ? undefined : readPackage(join(root.packages, record.directory));
    this.isAsAdded = this.pack !== undefined && root.stateOf(record) === "same";
  }

  /** The servers that the user has added for this directory and for all, in this order. @throws Refusal if a record is damaged. */
  static all(places: UserPlaces): readonly AddedServer[] {
    return ToolRoot.ofUser(places).flatMap((root) =>
      [...root.servers()].map(([name, record]) => new AddedServer(name, record, root, places)),
    );
  }

  /** The server with this name; of two, the one of this directory. @throws Refusal if there is no such server. */
  static named(name: string, places: UserPlaces): AddedServer {
    const servers = AddedServer.all(places);
    const found = servers.find((server) => server.name === name);
    if (found) return found;
    const known =
      servers.length === 0 ? "None has been added." : `Known: ${servers.map((one) => one.name).join(", ")}.`;
    throw new Refusal(`No MCP server ${JSON.stringify(name)}. ${known}`);
  }

  /** Where a server, or another package of its name, has been added. @throws Refusal if a record is damaged. */
  static rootOf(name: string, places: UserPlaces): ToolRoot | undefined {
    return ToolRoot.ofUser(places).find((root) => root.record().has(packageName(name)));
  }

  /** Its package. @throws Refusal if that is missing or damaged. */
  package(): ServerPackage {
    if (this.pack) return this.pack;
    throw new Refusal(
      `The files of ${this.name} are missing or damaged. Remove it and add it again: ikigai mcp remove ${this.name}`,
    );
  }

  /** How it is reached; empty if its files are missing. */
  transport(): "" | "stdio" | "http" | "sse" {
    if (this.pack === undefined) return "";
    return isStdio(this.pack.server.entry) ? "stdio" : this.pack.server.entry.type;
  }

  /** Its URL without secrets, or its command line; empty if its files are missing. */
  target(): string {
    return this.pack === undefined ? "" : serverTarget(this.pack.server);
  }

  /** Whether it can be called, in a few words. */
  status(env: NodeJS.ProcessEnv): string {
    if (this.pack === undefined || !this.isAsAdded) return "not as added";
    if (this.missingBridge()) return "needs update";
    const { missing } = expandEntry(this.pack.server.entry, readSecrets(this.dataDir), env);
    if (missing.length > 0) return `missing ${missing.join(", ")}`;
    if (!isStdio(this.pack.server.entry) && lacksLogin(this.dataDir)) return "needs login";
    return existsSync(join(this.dataDir, changesFileName)) ? "tools changed" : "ready";
  }

  /**
   * Returns the program that speaks MCP that its tools name, if it is missing: that of an ikigai that has been moved, upgraded or
   * removed since the server was added.
   */
  missingBridge(): string | undefined {
    const [tool] = Object.values(this.record.tools);
    const path = tool && wrappedBridge(this.#text(tool.path));
    return path === undefined || existsSync(path) ? undefined : path;
  }

  /** The schemas of its tools as the model sees them, by name; empty for a wrapper that is missing. */
  lines(): ReadonlyMap<string, string> {
    const tools = this.pack?.tools.tools ?? [];
    return new Map(tools.map(({ tool }) => [tool, wrappedLine(this.#text(wrapperFileName(tool))) ?? ""]));
  }

  #text(file: string): string {
    if (this.record.directory === undefined) return "";
    try {
      return readRegularFile(join(this.root.packages, this.record.directory, file)).toString("utf8");
    } catch {
      return "";
    }
  }
}

function readPackage(path: string): ServerPackage | undefined {
  try {
    return readServerPackage(path);
  } catch {
    return undefined;
  }
}
