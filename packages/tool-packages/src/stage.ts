// A directory in which a package is made ready, beside the place where it will be moved.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  beforeExit,
  executionProblem,
  hashFile,
  hashTree,
  makePrivateDirectory,
  privateDirectoryMode,
} from "@ikigai/system";
import type { DependencyLock } from "./dependency-lock.ts";
import type { PackagedTool } from "./package-tools.ts";
import { Refusal } from "./refusal.ts";
import { type InstalledPackage, serverSource } from "./tool-root.ts";
import { directoryMode } from "./tree.ts";

/** The number of hash digits in the name of a package's folder. */
const folderDigits = 12;

/** What is known about a staged package. */
interface StagedFacts extends Omit<InstalledPackage, "source" | "sha256" | "tools"> {
  readonly source?: string;
  readonly server?: string;
  readonly sha256?: string;
}

/** A staging directory. */
export class Stage {
  /** The package; empty at first. */
  readonly content: string;
  /** The folder for fetching its dependencies; empty at first. */
  readonly dependencies: string;
  /** The tools' directory while their schemas are read. */
  readonly home: string;

  constructor(root: string) {
    this.content = join(root, "content");
    this.dependencies = join(root, "dependencies");
    this.home = join(root, "home");
  }

  /** The hash of the package as it is now. */
  hash(): string {
    return hashTree(this.content).sha256;
  }

  /** The folder of a package below `packages/`, by the hash of what it is made of. */
  folder(name: string, hash: string): string {
    return `${name}/${hash.slice(0, folderDigits)}`;
  }

  /**
   * The package's entry in the record.
   *
   * @param facts its source, or the MCP server that it was made for, and further fields.
   * @param tools where they are in the stage.
   */
  entry(facts: StagedFacts, tools: readonly PackagedTool[]): InstalledPackage {
    const files = tools.map(({ fileName, path }) => {
      return [fileName, { path, sha256: hashFile(join(this.content, path)) }] as const;
    });
    const { server, source = serverSource(server ?? ""), as, version, sha256 = this.hash(), ...others } = facts;
    return {
      source,
      ...(as !== undefined && { as }),
      version,
      sha256,
      ...others,
      tools: Object.fromEntries(files),
    };
  }
}

const prefix = ".new-";

/** An older stage was left by a process that died, in milliseconds: no fetch takes this long. */
const staleMs = 86_400_000;

/**
 * Calls a function with an empty stage and removes it afterwards. It is next to the user's packages, so that moving is a rename.
 *
 * @throws Refusal if no program can be started there.
 */
export async function withStage<Result>(home: string, work: (stage: Stage) => Promise<Result>): Promise<Result> {
  const parent = join(home, "packages");
  makePrivateDirectory(parent);
  removeStale(parent);
  const root = mkdtempSync(join(parent, prefix));
  const remove = () => {
    rmSync(root, { recursive: true, force: true });
    try {
      rmdirSync(parent);
    } catch {
      // It has packages.
    }
  };
  const leave = beforeExit(remove, { isLast: true });
  try {
    const stage = new Stage(root);
    refuseNoexec(home, join(root, "probe"));
    for (const directory of [stage.content, stage.dependencies]) mkdirSync(directory, { mode: directoryMode });
    return await work(stage);
  } finally {
    leave();
    remove();
  }
}

function refuseNoexec(home: string, probe: string): void {
  writeFileSync(probe, "");
  chmodSync(probe, privateDirectoryMode);
  const problem = executionProblem(probe);
  if (problem)
    throw new Refusal(
      `No tool could be started from ${home}: ${problem.why}. Nothing was added. Set IKIGAI_HOME to a directory on another file system.`,
    );
  rmSync(probe);
}

function removeStale(parent: string): void {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    const path = join(parent, name);
    const ageMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (ageMs > staleMs) rmSync(path, { recursive: true, force: true });
  }
}

/** A fetched package, before it is checked. */
export interface Fetched {
  /** The package's name, or a substitute. */
  readonly name: string;
  /** Its version or commit; empty if it has neither. */
  readonly version: string;
  /** Its path in the stage. */
  readonly packageDir: string;
  /** The number of other packages that came with it. */
  readonly dependencies: number;
  /** Further fields of the record. */
  readonly facts: {
    readonly resolved?: string;
    readonly integrity?: string;
    readonly commit?: string;
    readonly lock?: DependencyLock;
  };
}
