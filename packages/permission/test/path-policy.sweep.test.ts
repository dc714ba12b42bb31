// Promise 6 of SECURITY.md.
import { mkdirSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { decide, type Permission, type Verdict } from "../src/index.ts";
import { realTarget } from "../src/targets/paths.ts";
import { registeredTool } from "./registered-tool.ts";

const isThorough = inject("isThorough");
const timeout = { timeout: 600_000 };

/** So deep that no `..` of a path leaves the temporary directory. */
const root = join(await tempDir(), "deep/".repeat(12), "root");

const names = fc.constantFrom("a", "b", "proj", "proj-evil", "..", ".", "");
const paths = fc
  .tuple(
    fc.constantFrom("", root, `${root}/proj`, `${root}/proj-evil`),
    fc.array(names, { minLength: 1, maxLength: 6 }),
  )
  .map(([start, parts]) => [start, ...parts].filter((part, index) => index > 0 || part !== "").join("/") || ".");

interface Entry {
  readonly at: string;
  readonly kind: "file" | "directory" | "link";
  readonly target: string;
}

const entries: fc.Arbitrary<Entry[]> = fc.array(
  fc.record({
    at: fc
      .array(fc.constantFrom("a", "b", "proj", "proj-evil"), { minLength: 1, maxLength: 4 })
      .map((all) => all.join("/")),
    kind: fc.constantFrom("file", "directory", "link", "link"),
    target: paths,
  }),
  { maxLength: 10 },
);

/** Creates the tree again; skips entries that cannot be created. */
function plant(all: readonly Entry[]): void {
  rmSync(root, { recursive: true, force: true });
  for (const name of ["proj", "proj-evil", "home"]) mkdirSync(join(root, name), { recursive: true });
  for (const { at, kind, target } of all) {
    const path = join(root, at);
    // Not through a symlink that leads out of the temporary directory.
    if (!realTarget(dirname(path), root)?.startsWith(root)) continue;
    try {
      mkdirSync(dirname(path), { recursive: true });
      if (kind === "file") writeFileSync(path, "", { flag: "wx" });
      else if (kind === "directory") mkdirSync(path);
      else symlinkSync(target, path);
    } catch {
      // The path exists, or a file is in the way.
    }
  }
}

/** Where the system says that a path leads; for a new file, its directory and its name. */
function oracle(path: string): string | undefined {
  const whole = `${root}/proj/${path}`;
  const absolute = path.startsWith("/") ? path : whole;
  try {
    return realpathSync.native(absolute);
  } catch {
    const last = basename(absolute);
    if (last === ".." || last === ".") return undefined;
    try {
      // A dangling symlink: the system would create its target. This is only about paths that do not exist at all.
      const directory = realpathSync.native(absolute.replace(/\/*[^/]*\/*$/, "") || "/");
      return statSync(directory).isDirectory() && !isLink(join(directory, last)) ? join(directory, last) : undefined;
    } catch {
      return undefined;
    }
  }
}

function isLink(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) === undefined && realTarget(path, "/") !== path;
}

function verdict(name: string, file_path: string, mode: Permission["mode"]): Verdict {
  const call = { id: "c", name, arguments: JSON.stringify({ file_path }) };
  const permission: Permission = { mode, rules: [], projectDir: join(root, "proj"), home: join(root, "home") };
  return decide(call, registeredTool(name, "system"), permission).verdict;
}

const isInProject = (real: string) => real === join(root, "proj") || real.startsWith(`${root}/proj/`);

test("agrees with the system on where a path leads, which decides whether there is a question", timeout, () => {
  let inside = 0;
  let outside = 0;
  const property = fc.property(entries, paths, (all, path) => {
    plant(all);
    const real = oracle(path);
    if (real === undefined) return;
    expect(realTarget(path, join(root, "proj"))).toBe(real);
    if (isInProject(real)) inside++;
    else outside++;
    const expected = isInProject(real) ? "allow" : "ask";
    expect([path, verdict("file_read", path, "ask")]).toEqual([path, expected]);
    expect([path, verdict("file_write", path, "edits")]).toEqual([path, expected]);
    expect([path, verdict("file_write", path, "ask")]).toEqual([path, "ask"]);
  });
  fc.assert(property, { numRuns: isThorough ? 3_000 : 200 });
  expect([inside > 0, outside > 0]).toEqual([true, true]);
});

test("nothing that can be opened outside the project is free, however the path is spelled", timeout, () => {
  const property = fc.property(entries, paths, (all, path) => {
    plant(all);
    const absolute = path.startsWith("/") ? path : `${root}/proj/${path}`;
    if (!realTarget(path, join(root, "proj"))?.startsWith(root)) return;
    let opened: string;
    try {
      writeFileSync(absolute, "written", { flag: "a" });
      opened = realpathSync.native(absolute);
    } catch {
      return;
    }
    plant(all);
    if (!isInProject(opened)) expect([path, verdict("file_write", path, "edits")]).toEqual([path, "ask"]);
  });
  fc.assert(property, { numRuns: isThorough ? 1_500 : 100 });
});
