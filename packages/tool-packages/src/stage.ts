import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeExit } from "@ikigai/system";
import type { DependencyLock } from "./dependency-lock.ts";

/** Where a package is put together. */
export interface Stage {
  /** Its content, empty at first. */
  readonly content: string;
  /** Where its dependencies are fetched, apart from it; empty at first. */
  readonly dependencies: string;
  /** The user's directory while it is asked what it is. */
  readonly home: string;
}

const prefix = ".new-";

/** No package takes so long to come; an older stage was left by a process that died. In milliseconds. */
const staleMs = 86_400_000;

/** Does something with an empty stage. It is gone afterwards. It lies beside the user's packages, so that moving is one step. */
export async function withStage<Result>(home: string, work: (stage: Stage) => Promise<Result>): Promise<Result> {
  const parent = join(home, "packages");
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  removeStale(parent);
  const root = mkdtempSync(join(parent, prefix));
  const remove = () => rmSync(root, { recursive: true, force: true });
  const leave = beforeExit(remove, { isLast: true });
  try {
    const stage = {
      content: join(root, "content"),
      dependencies: join(root, "dependencies"),
      home: join(root, "home"),
    };
    for (const directory of [stage.content, stage.dependencies]) mkdirSync(directory);
    return await work(stage);
  } finally {
    leave();
    remove();
  }
}

function removeStale(parent: string): void {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    const path = join(parent, name);
    const ageMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (ageMs > staleMs) rmSync(path, { recursive: true, force: true });
  }
}

/** What came, before it is looked at. */
export interface Fetched {
  /** The package's name, or what stands for it. */
  readonly name: string;
  /** Its version, or the commit; empty when it has neither. */
  readonly version: string;
  /** Where in the stage the package is. */
  readonly packageDir: string;
  /** How many other packages came with it. */
  readonly dependencies: number;
  /** What else is worth writing down. */
  readonly facts: {
    readonly resolved?: string;
    readonly integrity?: string;
    readonly commit?: string;
    readonly lock?: DependencyLock;
  };
}
