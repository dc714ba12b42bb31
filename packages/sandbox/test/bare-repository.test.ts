// Promise 2 of SECURITY.md.

import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isClosedDirectory, makeIfMissing } from "@ikigai/system";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { gitPlaces } from "../src/git-places.ts";

const head = { "HEAD/": "" };
const refs = { "refs/": "" };
const objects = { "objects/": "" };

/** What is created, and what is shown, of a project with a repository in which a tool may write. */
async function placesOf(userId: number, files: Record<string, string>, closed?: string) {
  const dir = await tempDir({ ".git/HEAD": "ref: refs/heads/main\n", ".git/objects/": "", ".git/refs/": "", ...files });
  if (closed !== undefined) mkdirSync(join(dir, closed), { mode: 0o444 });
  const geteuid = vi.spyOn(process as { geteuid(): number }, "geteuid").mockReturnValue(userId);
  onTestFinished(() => geteuid.mockRestore());
  const { missing, shown } = gitPlaces(dir, [dir], { git: true, userHome: "/nonexistent", environment: {} });
  const own = (paths: readonly string[]) =>
    paths.filter((path) => !path.includes("/.git")).map((path) => path.slice(dir.length + 1));
  return { made: own(missing.map(({ path, isClosed }) => (isClosed ? `${path}/` : path))), shown: own(shown) };
}

test.each([
  [1000, {}, undefined, { made: ["refs/"], shown: [] }],
  [1000, refs, undefined, { made: ["objects/"], shown: [] }],
  [1000, { ...refs, ...objects }, undefined, { made: ["HEAD"], shown: [] }],
  [1000, {}, "refs", { made: [], shown: ["refs"] }],
  [1000, refs, "objects", { made: [], shown: ["objects"] }],
  [1000, head, undefined, { made: [], shown: ["HEAD"] }],
  [0, {}, undefined, { made: ["HEAD"], shown: [] }],
])("user %d, with %j and a closed %s: %j", async (userId, files, closed, expected) => {
  expect(await placesOf(userId, files, closed)).toEqual(expected);
});

const isRoot = process.geteuid?.() === 0;
const otherUser = 65_534;
const asUser = isRoot ? ["setpriv", `--reuid=${otherUser}`, `--regid=${otherUser}`, "--clear-groups"] : [];
const canBeUser = spawnSync("sh", ["-c", [...asUser, "git", "--version"].join(" ")]).status === 0;

test.skipIf(!canBeUser)(
  "git takes a directory with a closed part for no repository, and the part for nothing",
  async () => {
    const dir = await tempDir();
    for (const path of isRoot ? [dir] : []) chownSync(path, otherUser, otherUser);
    const run = (script: string) => {
      const [file = "", ...args] = [...asUser, "sh", "-c", script];
      const env = {
        PATH: process.env.PATH,
        HOME: dir,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CEILING_DIRECTORIES: join(dir, ".."),
      };
      return spawnSync(file, args, { cwd: dir, encoding: "utf8", env });
    };
    const commit = "git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m one";
    expect(run(`git init -q . && ${commit}`)).toMatchObject({ status: 0, stderr: "" });
    makeIfMissing(join(dir, "refs"), undefined, { isClosed: true });
    if (isRoot) chownSync(join(dir, "refs"), otherUser, otherUser);
    expect(isClosedDirectory(join(dir, "refs"))).toBe(true);
    for (const words of ["diff HEAD", "log HEAD", "reset -q --hard HEAD", "status --short"])
      expect(run(`git ${words}`), words).toMatchObject({ status: 0, stderr: "" });
    expect(run("git status --short").stdout).toBe("");
    rmSync(join(dir, ".git/HEAD"));
    mkdirSync(join(dir, "objects"));
    writeFileSync(join(dir, "HEAD"), "ref: refs/heads/x\n");
    writeFileSync(join(dir, "config"), "[core]\n\tbare = true\n");
    expect(run("git rev-parse --git-dir").status).not.toBe(0);
    // Open, it would be one.
    chmodSync(join(dir, "refs"), 0o755);
    expect(run("git rev-parse --git-dir")).toMatchObject({ status: 0, stdout: ".\n" });
    expect(readdirSync(dir)).toContain("refs");
  },
);
