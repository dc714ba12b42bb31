// Promise 2 of SECURITY.md.

import { spawnSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { pastShell } from "../src/bubblewrap.ts";
import { commonDirOf, gitDirNamedBy, gitLinks, gitNamedPlaces } from "../src/git-config.ts";
import { writableGitPlaces } from "../src/git-places.ts";
import { sandboxPlace } from "../src/sandbox.ts";

const hasBubblewrap = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user-try", "true"]).status === 0;
const placeholders = { hold: () => false, adopt: () => {} };

test.each(["hooks", "config", "config.worktree", "commondir"])(
  "makes a repository whose %s is a link read-only, even where git is granted",
  async (name) => {
    const dir = await tempDir({ "git/HEAD": "ref: refs/heads/main\n", "git/objects/": "", "git/refs/": "", other: "" });
    const git = join(dir, "git");
    expect(writableGitPlaces(git, { isDirectory: true }).writable).toEqual([git]);
    symlinkSync("../other", join(git, name));
    expect(writableGitPlaces(git, { isDirectory: true })).toEqual({ writable: [], shown: [git], missing: [] });
  },
);

test.runIf(hasBubblewrap)("hides the display and the terminal outside from a tool", async () => {
  const dir = await tempDir({ "home/": "", "person/": "", "project/": "" });
  const [home, userHome, projectDir] = ["home", "person", "project"].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  const settings = { home, userHome, network: false, writable: [], readable: [], hidden: [] };
  const env = { DISPLAY: ":0", WAYLAND_DISPLAY: "wayland-0", TMUX: "/tmp/tmux", DOCKER_HOST: "unix:///x", LANG: "C" };
  const command = { path: "/bin/true", args: [], cwd: projectDir, env, hasInput: false, hasProgress: false };
  const wrapped = sandboxPlace(settings, { projectDir, toolFiles: [], placeholders }).wrap(command);
  const inside = "env" in wrapped ? wrapped.env : {};
  expect(inside).toMatchObject({ LANG: "C", IKIGAI_SANDBOX: "bubblewrap", TMPDIR: "/tmp" });
  expect(Object.keys(inside).filter((name) => name in env)).toEqual(["LANG"]);
});

test("reads a git index up to version 4, and rejects later ones", async () => {
  for (const version of [2, 3, 4, 5]) {
    const dir = await tempDir();
    const head = Buffer.alloc(32);
    head.write("DIRC");
    head.writeUInt32BE(version, 4);
    writeFileSync(join(dir, "index"), head);
    if (version < 5) expect(gitLinks(dir, 20)).toEqual([]);
    else expect(() => gitLinks(dir, 20)).toThrow("has an unknown format");
  }
});

test("refuses an index in which git sees other entries than a reader that stops at NUL", async () => {
  const dir = await tempDir();
  const index = Buffer.alloc(12 + 72 + 72 + 20);
  index.write("DIRC");
  index.writeUInt32BE(2, 4);
  index.writeUInt32BE(1, 8);
  index.writeUInt32BE(0o100644, 12 + 24);
  index.writeUInt16BE(72, 12 + 60);
  index.write("a", 12 + 62);
  writeFileSync(join(dir, "index"), index);
  expect(() => gitLinks(dir, 20)).toThrow("has an unknown format, so the submodules cannot be protected");
});

test("refuses the path of a submodule, a repository or a hook directory that is not UTF-8", async () => {
  const dir = await tempDir();
  const name = Buffer.from([0xff, 0x64, 0]);
  const head = Buffer.alloc(12);
  head.write("DIRC");
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(1, 8);
  const entry = Buffer.alloc(72);
  entry.writeUInt32BE(0o160000, 24);
  entry.writeUInt16BE(2, 60);
  name.copy(entry, 62);
  writeFileSync(join(dir, "index"), Buffer.concat([head, entry, Buffer.alloc(20)]));
  expect(() => gitLinks(dir, 20)).toThrow("names a submodule that is not UTF-8, which cannot be protected");
  const text = (before: string, after: string) =>
    Buffer.concat([Buffer.from(before), name.subarray(0, 2), Buffer.from(after)]);
  writeFileSync(join(dir, "dotgit"), text("gitdir: ", "\n"));
  expect(() => gitDirNamedBy(join(dir, "dotgit"))).toThrow("names a path that is not UTF-8");
  writeFileSync(join(dir, "commondir"), text("../", "\n"));
  expect(() => commonDirOf(dir)).toThrow("names a path that is not UTF-8");
  const named = (config: Buffer) => {
    writeFileSync(join(dir, "config"), config);
    return gitNamedPlaces([join(dir, "config")], dir, "/home/me");
  };
  expect(() => named(text("[core]\n\thooksPath = ", "\n"))).toThrow("core.hookspath that is not UTF-8");
  expect(() => named(text("[include]\n\tpath = ", "\n"))).toThrow("include.path that is not UTF-8");
  expect(named(text("[user]\n\tname = ", "\n"))).toEqual([]);
});

test("a variable whose name no shell knows gets past one, and its value is not on the command line", () => {
  const name = "npm_config_@own:registry";
  const given = {
    PATH: process.env.PATH,
    [name]: "https://x.example/",
    PLAIN: "1",
    UNSET: undefined,
    "UN:SET": undefined,
  };
  const { words, env } = pastShell(given);
  expect(words.join(" ")).not.toContain("x.example");
  const print = ["-p", "JSON.stringify(process.env)"];
  const behind = [...words, process.execPath, ...print];
  const { stdout } = spawnSync("/bin/sh", ["-c", 'exec "$@"', "sh", ...behind], { env, encoding: "utf8" });
  const { PATH, [name]: passed, PLAIN, PWD, ...others } = JSON.parse(stdout);
  expect([passed, PLAIN, others]).toEqual(["https://x.example/", "1", {}]);
  expect(pastShell({ PLAIN: "1" })).toEqual({ words: [], env: { PLAIN: "1" } });
});

test("hides a home below the temporary directory, also around the project", async () => {
  const userHome = await tempDir({ "project/": "", "secret.txt": "", ".ikigai/": "" });
  const settings = {
    home: join(userHome, ".ikigai"),
    userHome,
    network: false,
    writable: [],
    readable: [],
    hidden: [],
  };
  const projectDir = join(userHome, "project");
  const command = { path: "/bin/true", args: [], cwd: projectDir, env: {}, hasInput: false, hasProgress: false };
  const wrapped = sandboxPlace(settings, { projectDir, toolFiles: [], placeholders }).wrap(command);
  expect("args" in wrapped ? wrapped.args.join(" ") : "").toContain(`--tmpfs ${userHome}`);
});
