import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { pathOutsideProject } from "../src/index.ts";
import { tempDir } from "./temp-dir.ts";

test("removes the project's directories, relative ones, and packages' commands around it", async () => {
  const root = await tempDir();
  const at = (path: string) => join(root, path);
  for (const path of ["other/bin", "project/bin", "node_modules/.bin"]) mkdirSync(at(path), { recursive: true });
  symlinkSync(at("project/bin"), at("linked"));
  const all = [at("project/bin"), "bin", "", at("linked"), at("node_modules/.bin"), at("other/bin"), at("missing")];
  expect(pathOutsideProject(all.join(":"), at("project"))).toBe([at("other/bin"), at("missing")].join(":"));
  // The same path for another project is another question.
  const kept = [at("project/bin"), at("linked"), at("missing")];
  expect(pathOutsideProject(all.join(":"), at("other"))).toBe(kept.join(":"));
});

test("notices within a second that a directory has become a link into the project", async () => {
  const root = await tempDir();
  const project = join(root, "project");
  mkdirSync(join(project, "bin"), { recursive: true });
  const tools = join(root, "tools");
  mkdirSync(tools);
  expect(pathOutsideProject(tools, project)).toBe(tools);
  rmSync(tools, { recursive: true });
  symlinkSync(join(project, "bin"), tools);
  await setTimeout(1_100);
  expect(pathOutsideProject(tools, project)).toBe("");
});

test("removes the directories of the repository around the project, unless it holds the user's home", async () => {
  const dir = await tempDir();
  const at = (path: string) => join(dir, path);
  for (const path of ["repo/.git", "repo/bin", "repo/sub", "home/.git", "home/bin", "home/work/.git", "home/work/bin"])
    mkdirSync(at(path), { recursive: true });
  vi.stubEnv("HOME", at("home"));
  const outside = (path: string, project: string) => pathOutsideProject(at(path), at(project));
  expect(outside("repo/bin", "repo/sub")).toBe("");
  expect(outside("home/work/bin", "home/work")).toBe("");
  // Dotfiles in a repository.
  expect(outside("home/bin", "home/work")).toBe(at("home/bin"));
  mkdirSync(at("home/plain"));
  expect(outside("home/bin", "home/plain")).toBe(at("home/bin"));
  vi.unstubAllEnvs();
});
