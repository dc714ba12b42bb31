import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import type { SandboxPolicy } from "../src/place.ts";
import { seatbeltLetsChange, seatbeltProfile } from "../src/seatbelt.ts";

const profiler = "/usr/bin/sandbox-exec";

async function policy(changes: Partial<SandboxPolicy> = {}): Promise<SandboxPolicy> {
  const root = await tempDir({ 'pro"ject/': "", "person/.ssh/": "", "home/": "", "temporary/": "" });
  return {
    home: join(root, "home"),
    userHome: join(root, "person"),
    projectDir: join(root, 'pro"ject'),
    cwd: join(root, 'pro"ject'),
    temporaryDir: join(root, "temporary"),
    toolFiles: [],
    isReadOnly: false,
    environment: {},
    network: false,
    writable: [],
    readable: [],
    hidden: [],
    placeholders: { hold: () => false, adopt: () => {} },
    ...changes,
  };
}

/** The rules that mention a path, in order. */
function rulesAbout(profile: string, path: string): string[] {
  const quoted = JSON.stringify(path);
  return profile
    .split("\n")
    .flatMap((rule) => (rule.includes(`${quoted})`) ? [rule.slice(0, rule.indexOf(" ("))] : []));
}

test("allows a tool its own data directory after it hides the user's directory", async () => {
  const { home, ...own } = await policy();
  const dataDir = join(home, "data/mine");
  const lines = seatbeltProfile({ ...own, home, dataDir }).split("\n");
  const hidden = lines.findIndex((line) => line.startsWith("(deny file-read* file-write*") && line.includes(home));
  expect(lines.indexOf(`(allow file-read* file-write* (subpath ${JSON.stringify(dataDir)}))`)).toBeGreaterThan(hidden);
});

test("shows the user's tools and the packages that they come from", async () => {
  const own = await policy();
  for (const name of ["tools", "packages"])
    expect(rulesAbout(seatbeltProfile(own), join(own.home, name))).toEqual(["(allow file-read*"]);
});

test("says which files a tool may change as its rules do", async () => {
  const own = await policy({ git: true });
  const dataDir = join(own.home, "data/mine");
  const changes = (path: string) =>
    seatbeltLetsChange(path, { ...own, temporaryDir: "", dataDir, hidden: [join(own.projectDir, "private")] });
  for (const path of ["a", ".git/index", "deep/.ikigai"]) expect(changes(join(own.projectDir, path)), path).toBe(true);
  for (const path of [".ikigai/x", ".IKIGAI/x", ".git/hooks/x", "private/x"])
    expect(changes(join(own.projectDir, path)), path).toBe(false);
  expect(changes(join(dataDir, "x"))).toBe(true);
  for (const path of [join(own.home, "x"), join(own.userHome, "x"), "/tmp/x"]) expect(changes(path), path).toBe(false);
});

test("allows writing to the project, but not to what decides what runs", async () => {
  const own = await policy();
  const profile = seatbeltProfile(own);
  expect(rulesAbout(profile, own.projectDir)).toEqual(["(allow file-write*", "(allow file-read*"]);
  for (const name of [".ikigai", ".git", "HEAD"]) {
    expect(rulesAbout(profile, join(own.projectDir, name))[0]).toBe("(deny file-write*");
  }
  expect(rulesAbout(profile, join(own.userHome, ".ssh"))).toEqual(["(deny file-read* file-write*"]);
  expect(rulesAbout(profile, own.home)).toEqual(["(deny file-read* file-write*"]);
  expect(profile).toContain("\n(deny network*)");
});

test("allows git to write where that is granted, but not to what decides what runs", async () => {
  const own = await policy({ git: true });
  const profile = seatbeltProfile(own);
  expect(rulesAbout(profile, join(own.projectDir, ".git"))).toEqual(["(deny file-write-unlink"]);
  for (const name of [".git/hooks", ".git/config"]) {
    expect(rulesAbout(profile, join(own.projectDir, name))).toEqual(["(deny file-write*"]);
  }
});

test("hides what the environment points to, and sockets", async () => {
  const { userHome } = await policy();
  const config = join(userHome, "kube");
  const own = await policy({ network: true, environment: { KUBECONFIG: config, HISTFILE: "/dev/null" } });
  const profile = seatbeltProfile(own);
  expect(rulesAbout(profile, config)).toEqual(["(deny file-read* file-write*"]);
  expect(profile).toContain("\n(deny network-outbound (remote unix-socket))");
  expect(seatbeltProfile({ ...own, sockets: true })).not.toContain("unix-socket");
  expect(profile).not.toMatch(/deny file-read.*dev\/null/);
});

test("grants and hides what is configured", async () => {
  const { userHome } = await policy();
  const granted = seatbeltProfile(await policy({ network: true, isReadOnly: true, hidden: [userHome] }));
  expect(granted).not.toContain("(deny network*)");
  expect(rulesAbout(granted, userHome)).toEqual(["(deny file-read* file-write*", "(deny file-read* file-write*"]);
  expect(granted.split("\n").filter((rule) => rule.startsWith("(allow file-write*"))).toEqual([
    expect.stringMatching(/^\(allow file-write\* \(literal "\/dev\/null"\) /),
    expect.stringMatching(/^\(allow file-write\* \(subpath "[^"]+\/temporary"\)\)$/),
  ]);
});

test.runIf(existsSync(profiler))("is accepted by macOS (needs sandbox-exec)", async () => {
  const own = await policy();
  expect(spawnSync(profiler, ["-p", seatbeltProfile(own), "/usr/bin/touch", join(own.projectDir, "a")]).status).toBe(0);
  expect(
    spawnSync(profiler, ["-p", seatbeltProfile(own), "/bin/mkdir", join(own.projectDir, ".ikigai")]).status,
  ).not.toBe(0);
});
