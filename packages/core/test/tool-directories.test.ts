import { createHash } from "node:crypto";
import { mkdirSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hereDirectory } from "@ikigai/system";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { registryChanged, trust } from "../src/index.ts";
import { toolDirectories } from "../src/internal.ts";
import { schema, tool, world } from "./world.ts";

test.concurrent("counts a directory once, and a project directory that is the user's as the user's", async () => {
  const root = await tempDir({ "system/": "", ".ikigai/tools/": "", ".ikigai/projects/": "" });
  symlinkSync(join(root, ".ikigai/tools"), join(root, "again"));
  const places = { systemDir: join(root, "system"), home: join(root, ".ikigai"), projectDir: root };
  const here = { path: join(hereDirectory(places), "tools"), scope: "user" };
  expect(toolDirectories(places)).toEqual([
    { path: join(root, "system"), scope: "system" },
    { path: join(root, ".ikigai/tools"), scope: "user" },
    here,
  ]);
  expect(toolDirectories({ ...places, toolPath: "again" })).toEqual([
    { path: join(root, "system"), scope: "system" },
    here,
    { path: join(root, "again"), scope: "user" },
  ]);
  rmdirSync(join(root, ".ikigai/projects"));
  expect(toolDirectories(places).at(-1)?.path).toBe(join(root, ".ikigai/projects"));
});

test.concurrent("finds the user's tools for one directory, between the user's others and the project's", async () => {
  const id = (path: string) => createHash("sha256").update(path).digest("hex").slice(0, 16);
  const { root, home, projectDir, discover } = await world({
    "home/tools/one-tool": tool(schema("one")),
    "home/tools/two-tool": tool(schema("two")),
    "project/.ikigai/tools/two-tool": tool(schema("two")),
    "other/": "",
  });
  const place = join(home, "projects", id(projectDir));
  expect(hereDirectory({ home, projectDir })).toBe(place);
  const before = await discover();
  mkdirSync(join(place, "tools"), { recursive: true });
  for (const name of ["one", "two", "three"])
    writeFileSync(join(place, "tools", `${name}-tool`), tool(schema(name)), { mode: 0o755 });
  expect(registryChanged(before)).toBe(true);
  await trust({ home, projectDir });
  const registry = await discover();
  expect(registry.tools.map(({ name, scope, path, shadows }) => [name, scope, path, shadows.length])).toEqual([
    ["one", "user", join(place, "tools/one-tool"), 1],
    ["three", "user", join(place, "tools/three-tool"), 0],
    ["two", "project", join(projectDir, ".ikigai/tools/two-tool"), 2],
  ]);
  symlinkSync(projectDir, join(root, "link"));
  expect(hereDirectory({ home, projectDir: join(root, "link") })).toBe(place);
  const elsewhere = toolDirectories({ home, projectDir: join(root, "other") });
  const { tools } = await discover({ directories: elsewhere, projectDir: join(root, "other") });
  expect(tools.map(({ name }) => name)).toEqual(["one", "two"]);
});
