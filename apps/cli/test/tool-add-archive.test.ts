import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { startRegistry } from "./npm-registry.ts";
import { greeter, readRecord, world } from "./tool-world.ts";

test("a project's archive has the same hash for every user, wherever the project is", async () => {
  const { url } = await startRegistry({ good: {} });
  const { root } = await world({
    "pack/package.json": '{"name":"@acme/hi-tool","version":"2.0.0","bin":"run.sh","dependencies":{"good":"^1.0.0"}}',
    "pack/run.sh": { content: greeter("hi", "packed"), mode: 0o755 },
    "author/home/": "",
    "author/project/vendor/": "",
    "elsewhere/another user/a home/": "",
    "elsewhere/another user/below/": "",
  });
  const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8" });
  const user = (cwd: string, home: string) => {
    writeFileSync(join(home, ".npmrc"), `registry=${url}/\nfetch-retries=0\n`);
    return (...args: string[]) => ikigai(args, { cwd, env: { HOME: home } });
  };
  const project = join(root, "author/project");
  execFileSync("npm", ["pack", "--pack-destination", join(project, "vendor")], {
    cwd: join(root, "pack"),
    stdio: "pipe",
  });
  const author = user(project, join(root, "author/home"));
  const archive = "./vendor/acme-hi-tool-2.0.0.tgz";
  expect(await author("tool", "add", archive, "--project", "--yes")).toMatchObject({ exitCode: 0 });
  const record = readFileSync(join(project, ".ikigai/tools.json"), "utf8");
  const { source, directory, lock } = readRecord(join(project, ".ikigai"))["@acme/hi-tool"];
  expect([source, lock.packages[""].dependencies]).toEqual([
    archive,
    { "@acme/hi-tool": "file:acme-hi-tool-2.0.0.tgz" },
  ]);
  expect(readFileSync(join(project, ".ikigai/packages", directory, "package.json"), "utf8")).not.toContain("..");
  git(project, "init", "--quiet");
  git(project, "add", "--all", "--force");

  const clone = join(root, "elsewhere/another user/below/clone");
  cpSync(project, clone, { recursive: true, verbatimSymlinks: true });
  const other = user(clone, join(root, "elsewhere/another user/a home"));
  rmSync(join(clone, ".ikigai/packages"), { recursive: true });
  expect((await other("trust", "--yes")).exitCode).toBe(0);
  expect((await other("tool", "update", "--project", "--yes")).stdout).toMatch(
    /\nRestored @acme\/hi-tool 2\.0\.0: hi\n$/,
  );
  expect(readFileSync(join(clone, ".ikigai/tools.json"), "utf8")).toBe(record);
  expect(git(clone, "status", "--porcelain").replace(/^A .*\n/gm, "")).toBe("");
  expect((await other("tool", "add", archive, "--project", "--yes")).exitCode).toBe(0);
  expect(git(clone, "status", "--porcelain").replace(/^A .*\n/gm, "")).toBe("");
});
