import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { gitLinks } from "../src/place/sandbox/git-links.ts";
import { sandboxPlace } from "../src/place/sandbox/sandbox-place.ts";
import { writableGitPlaces } from "../src/place/sandbox/writable-git-places.ts";
import { hasBubblewrap } from "./sandbox-stage.ts";

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
  const wrapped = sandboxPlace(settings, { projectDir, isReadOnly: false, toolFiles: [] }).wrap(command);
  expect("env" in wrapped && wrapped.env).toEqual({ LANG: "C", IKIGAI_SANDBOX: "bubblewrap", TMPDIR: "/tmp" });
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
