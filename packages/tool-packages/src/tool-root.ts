// Where tools are added: the user's directory, the one for tools that count in one directory only, or a project's `.ikigai/`. Each has
// `tools/`, the `packages/` that the tools are links into, and `tools.json`, the record of the added packages.
import { existsSync, lstatSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { namedDataDirectory } from "@ikigai/core/internal";
import { toolNameOf } from "@ikigai/protocol";
import {
  hashFile,
  hashTree,
  hereDirectories,
  hereDirectory,
  makeDirectories,
  namesIn,
  ownerProblem,
  readRegularFile,
  realPathOf,
  temporaryName,
  writePrivateFile,
} from "@ikigai/system";
import { type DependencyLock, isLock } from "./dependency-lock.ts";
import { Refusal } from "./refusal.ts";

/** The user's directory and the project. */
export interface ProjectPlaces {
  readonly home: string;
  readonly projectDir: string;
}

/** An added package and its source: an entry of `tools.json`. */
export interface InstalledPackage {
  /** As the user typed it. */
  readonly source: string;
  /** The name of its only tool, if the user gave one. */
  readonly as?: string;
  /** The version, or the beginning of the commit id; empty if it has neither. */
  readonly version: string;
  /** The hash of the file, or of the package's folder. */
  readonly sha256: string;
  /** The URL that npm fetched, and the registry's hash of it. */
  readonly resolved?: string;
  readonly integrity?: string;
  /** The full id of the git commit. */
  readonly commit?: string;
  /** Its dependencies, unless it has its own lock. */
  readonly lock?: DependencyLock;
  /** The folder below `packages/` that the tools are links into; missing for a single file, which is in `tools/` itself. */
  readonly directory?: string;
  /** The folder in `directory` that has its `skills/`, `hooks/`, `commands/` and `agents/`; missing if it brings only tools. */
  readonly folder?: string;
  /** By file name in `tools/`. */
  readonly tools: Readonly<Record<string, { readonly path: string; readonly sha256: string }>>;
}

/** The packages by name. */
type InstallRecord = ReadonlyMap<string, InstalledPackage>;

/** The state of an added package: unchanged, changed, or with a missing file. */
export type InstalledState = "same" | "changed" | "missing";

/** The file that names the directory that a root is for, since a hash cannot be read back. */
const nameFile = "directory";

/** A place where tools are added. */
export class ToolRoot {
  readonly path: string;
  readonly scope: "user" | "project";
  /** Whether it is the user's for one directory only. */
  readonly isHere: boolean;
  /** The tool directory. */
  readonly tools: string;
  /** The directory of the packages that the tools link into. */
  readonly packages: string;
  /** The record of added packages. */
  readonly recordFile: string;
  /** The mode of new directories: private for the user's, public for a project's, which is committed. */
  readonly directoryMode: number;

  private constructor(path: string, scope: ToolRoot["scope"], isHere = false) {
    this.path = path;
    this.scope = scope;
    this.isHere = isHere;
    this.tools = join(path, "tools");
    this.packages = join(path, "packages");
    this.recordFile = join(path, "tools.json");
    this.directoryMode = scope === "user" ? 0o700 : 0o755;
  }

  /**
   * The root that a command with or without `--project` works on.
   *
   * @throws Refusal if the project has no root of its own.
   */
  static of(places: ProjectPlaces, { isProject }: { readonly isProject: boolean }): ToolRoot {
    if (!isProject) return new ToolRoot(resolve(places.home), "user");
    const root = new ToolRoot(join(places.projectDir, ".ikigai"), "project");
    if (realPathOf(root.path) === realPathOf(places.home))
      throw new Refusal("Not a project: .ikigai here is your own directory. Leave out --project.");
    for (const path of [root.path, root.tools, root.packages]) {
      if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
        throw new Refusal(`${path} is a symbolic link out of the project. Replace it with a directory.`);
    }
    return root;
  }

  /** The root of the user's tools that count in this directory only. */
  static here(places: ProjectPlaces): ToolRoot {
    return new ToolRoot(hereDirectory(places), "user", true);
  }

  /** The roots of the user's tools that count in this directory, nearest first. */
  static ofUser(places: ProjectPlaces): readonly ToolRoot[] {
    return [ToolRoot.here(places), ToolRoot.of(places, { isProject: false })];
  }

  /** The user's own files for one directory only: where they are, and the directory. */
  static ofDirectories(home: string): readonly { readonly path: string; readonly directory: string }[] {
    const parent = hereDirectories(home);
    return namesIn(parent).flatMap((name) => {
      const path = join(parent, name);
      try {
        return [{ path, directory: readRegularFile(join(path, nameFile)).toString("utf8") }];
      } catch {
        // Made by hand.
        return [];
      }
    });
  }

  /** The data directory of a package, or of a tool that was added as a file. */
  dataOf(owner: string, places: ProjectPlaces): string {
    return namedDataDirectory(owner, this.scope, this.scope === "user" ? { ...places, home: this.path } : places);
  }

  /**
   * Reads the record of added packages; empty if the file does not exist.
   *
   * @throws Refusal if the file is damaged or unreadable, because it is then unknown which tools were added.
   */
  record(): InstallRecord {
    let text: string;
    try {
      text = readRegularFile(this.recordFile).toString();
    } catch (error) {
      const { code = "", message } = error as NodeJS.ErrnoException;
      // The home directory is missing, or is a file.
      if (code === "ENOENT" || code === "ENOTDIR") return new Map();
      const home = this.isHere ? dirname(dirname(this.path)) : this.path;
      const owner = code === "EACCES" ? ownerProblem(this.recordFile, home) : undefined;
      throw new Refusal(`Cannot read ${this.recordFile}, the record of added tools: ${owner ?? `${message}.`}`);
    }
    const packages = parse(text);
    if (packages === undefined)
      throw new Refusal(
        `${this.recordFile}, the record of added tools, is damaged. Fix it, or move it away: ikigai then treats added tools as your own files.`,
      );
    return packages;
  }

  /** Replaces the record atomically; without packages, removes the file. */
  writeRecord(record: InstallRecord): void {
    if (record.size === 0) {
      rmSync(this.recordFile, { force: true });
      return;
    }
    const sorted = [...record].sort(([a], [b]) => (a < b ? -1 : 1));
    const text = `${JSON.stringify({ version: 1, packages: Object.fromEntries(sorted) }, undefined, 2)}\n`;
    const temporary = temporaryName(this.recordFile);
    makeDirectories(dirname(this.recordFile), this.directoryMode);
    try {
      writeFileSync(temporary, text, { mode: this.scope === "user" ? 0o600 : 0o644 });
      renameSync(temporary, this.recordFile);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }

  /** The package with this name, with a tool of this name, or from this source, and its entry. */
  find(wanted: string): [string, InstalledPackage] | undefined {
    const record = this.record();
    const entry = record.get(wanted);
    if (entry) return [wanted, entry];
    const isMeant = ({ tools }: InstalledPackage) => Object.keys(tools).some((fileName) => isCalled(fileName, wanted));
    return [...record].find(([, one]) => isMeant(one)) ?? [...record].find(([, { source }]) => source === wanted);
  }

  /** The names of the added tools, each before that of its package. */
  names(): readonly string[] {
    return [...this.record()].flatMap(([name, { tools }]) => [...Object.keys(tools).map(toolNameOf), name]);
  }

  /** The packages that were made for MCP servers, by the names of these. */
  servers(): InstallRecord {
    return new Map(
      [...this.record().values()].flatMap((entry) => {
        const server = serverOf(entry);
        return server === undefined ? [] : [[server, entry] as const];
      }),
    );
  }

  /** The folder with a package's skills, hooks, commands and agents; `undefined` if it brings only tools. */
  contentsOf({ directory, folder }: InstalledPackage): string | undefined {
    return directory === undefined || folder === undefined ? undefined : join(this.packages, directory, folder);
  }

  /** Where the tools of a package are. */
  toolPaths({ tools }: InstalledPackage): readonly string[] {
    return Object.keys(tools).map((fileName) => join(this.tools, fileName));
  }

  /** Compares the files of a package with the hashes of the record. */
  stateOf({ directory, sha256, tools }: InstalledPackage): InstalledState {
    for (const [fileName, tool] of Object.entries(tools)) {
      const path = join(this.tools, fileName);
      if (!lstatSync(path, { throwIfNoEntry: false }) || !statSync(path, { throwIfNoEntry: false })?.isFile())
        return "missing";
      if (hashFile(path) !== tool.sha256) return "changed";
    }
    if (directory === undefined) return "same";
    return hashTree(join(this.packages, directory)).sha256 === sha256 ? "same" : "changed";
  }

  /**
   * Checks that a package overwrites only its own files.
   *
   * @throws Refusal if it would overwrite others.
   */
  refuseConflicts(name: string, { tools }: InstalledPackage): void {
    const record = this.record();
    const own = Object.keys(record.get(name)?.tools ?? {});
    const present = existsSync(this.tools) ? readdirSync(this.tools) : [];
    for (const fileName of Object.keys(tools)) {
      const other = present.find((file) => file.endsWith("-tool") && toolNameOf(file) === toolNameOf(fileName));
      if (other === undefined || own.includes(other)) continue;
      const [owner] = [...record].find(([, entry]) => Object.hasOwn(entry.tools, other)) ?? [];
      const whose = owner === undefined ? "which ikigai did not add" : `which belongs to ${owner}`;
      const flag = this.scope === "project" ? " --project" : "";
      throw new Refusal(
        `${this.tools} already has a tool ${toolNameOf(fileName)}: ${other}, ${whose}. Remove it first: ikigai tool remove ${toolNameOf(other)}${flag}`,
      );
    }
  }

  /** Creates its directories; records which directory it is for. @throws the system's error. */
  make({ projectDir }: ProjectPlaces): void {
    if (this.isHere) writePrivateFile(join(this.path, nameFile), realPathOf(projectDir));
    for (const directory of [this.path, this.tools]) makeDirectories(directory, this.directoryMode);
  }

  /** Removes what is left for one directory, once the last package was removed. Files of others stay. @param data the package's data directory. */
  tidy(data: string): void {
    if (!this.isHere || existsSync(this.recordFile)) return;
    rmSync(join(this.path, nameFile), { force: true });
    for (const directory of [this.tools, this.packages, dirname(data), this.path]) {
      try {
        rmdirSync(directory);
      } catch {
        // It is missing, or has files.
      }
    }
  }
}

/** Whether a name, in any of its forms, means this file. */
export function isCalled(fileName: string, wanted: string): boolean {
  return fileName === wanted || toolNameOf(fileName) === wanted.replaceAll("-", "_");
}

/** The beginning of the source of a package that was made for an MCP server: no other source begins with it. */
const serverPrefix = "mcp:";

/** The source in the record of an MCP server's package. */
export function serverSource(server: string): string {
  return `${serverPrefix}${server}`;
}

/** The name of the MCP server that a package was made for; `undefined` for other packages. */
export function serverOf({ source }: Pick<InstalledPackage, "source">): string | undefined {
  return source.startsWith(serverPrefix) ? source.slice(serverPrefix.length) : undefined;
}

function parse(text: string): InstallRecord | undefined {
  try {
    const { version, packages } = JSON.parse(text);
    const entries = Object.entries<unknown>(packages);
    return version === 1 && entries.every(isEntry) ? new Map(entries as [string, InstalledPackage][]) : undefined;
  } catch {
    return undefined;
  }
}

/** Checks the names, which become paths: a project's record may come from anyone. */
function isEntry([name, value]: [string, unknown]): boolean {
  const entry = value as InstalledPackage;
  const texts = [name, entry.source, entry.version, entry.sha256];
  return (
    texts.every((text) => typeof text === "string") &&
    (entry.directory === undefined || /^(@[\w.~-]+\/)?[\w~-][\w.~-]*\/[0-9a-f]{12}$/i.test(entry.directory)) &&
    (entry.folder === undefined || typeof entry.folder === "string") &&
    (entry.lock === undefined || isLock(entry.lock)) &&
    Object.entries(entry.tools).every(([fileName, tool]) => {
      return /^[A-Za-z][\w-]*-tool$/.test(fileName) && typeof tool.path === "string" && typeof tool.sha256 === "string";
    })
  );
}
