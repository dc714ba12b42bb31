// Promise 6 of SECURITY.md.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { privacyProblems } from "../src/agent/privacy-problems.ts";
import { loadConfig, readConfig } from "../src/internal.ts";

/** Sets a limit, so that it matters whether it is read. */
const text = '{"sandbox": {"enabled": true}}';

async function openHome(mode = 0o600, directoryMode = 0o700): Promise<string> {
  const home = await tempDir({ "config.json": { content: text, mode } });
  chmodSync(join(home, "config.json"), mode);
  chmodSync(home, directoryMode);
  return home;
}

function problemOf(home: string): string | undefined {
  const { problems, config } = readConfig(home);
  if (problems.length === 0) return undefined;
  expect(config).toEqual({});
  expect(problems).toMatchObject([{ isFatal: true }]);
  expect(() => loadConfig(home)).toThrow("The configuration cannot be used, so nothing was run.");
  return problems[0]?.message;
}

test.each([0o600, 0o644, 0o640, 0o400])("reads a file of mode %o, which only its owner can change", async (mode) => {
  for (const directoryMode of [0o700, 0o755]) expect(problemOf(await openHome(mode, directoryMode))).toBeUndefined();
});

test.each([0o666, 0o602, 0o777])("refuses a file of mode %o", async (mode) => {
  const home = await openHome(mode);
  const path = join(home, "config.json");
  expect(problemOf(home)).toBe(
    `This file can be written by others (mode ${mode.toString(8)}). If you trust its content: chmod go-w ${path}`,
  );
});

test("quotes a path with a space in the advice", async () => {
  const root = await tempDir({ "my home/config.json": { content: text, mode: 0o646 } });
  const home = join(root, "my home");
  const path = join(home, "config.json");
  for (const place of [home, path]) chmodSync(place, place === home ? 0o700 : 0o646);
  expect(problemOf(home)).toMatch(/: chmod go-w '.*\/my home\/config\.json'$/);
  writeFileSync(path, '{"providers":{"openai":{"apiKey":"k"}}}');
  chmodSync(path, 0o644);
  expect(privacyProblems(home)).toEqual([`Other users can access ${path} (mode 644). Run: chmod 600 '${path}'`]);
});

test.each([0o777, 0o707, 0o1777])("refuses a file in a directory of mode %o", async (mode) => {
  expect(problemOf(await openHome(0o600, mode))).toContain(`which can be written by others (mode ${mode.toString(8)})`);
});

test.skipIf(process.geteuid?.() !== 0)(
  "refuses a file that a group can write, unless it is the user's own",
  async () => {
    const home = await openHome(0o664);
    expect(problemOf(home)).toBeUndefined();
    chownSync(join(home, "config.json"), 0, 65_534);
    expect(problemOf(home)).toContain("This file can be written by others (mode 664).");
  },
);

test("refuses the target of a symlink in a directory that others can write", async () => {
  const home = await tempDir({ "open/real.json": { content: text, mode: 0o600 }, "own/": "" });
  chmodSync(join(home, "open"), 0o777);
  symlinkSync("../open/real.json", join(home, "own/config.json"));
  expect(problemOf(join(home, "own"))).toContain("open, which can be written by others");
});

test("follows a symlink to a file of the user's own", async () => {
  const home = await tempDir({ "dotfiles/real.json": { content: text, mode: 0o600 }, "own/": "" });
  symlinkSync("../dotfiles/real.json", join(home, "own/config.json"));
  expect(problemOf(join(home, "own"))).toBeUndefined();
});

test.skipIf(process.geteuid?.() !== 0)("refuses a file and a directory of another user", async () => {
  const home = await openHome();
  chownSync(join(home, "config.json"), 65_534, 65_534);
  expect(problemOf(home)).toContain("This file belongs to another user (uid 65534).");
  chownSync(join(home, "config.json"), 0, 0);
  expect(problemOf(home)).toBeUndefined();
  chownSync(home, 65_534, 65_534);
  expect(problemOf(home)).toContain("which belongs to another user (uid 65534).");
});

test.each([
  ["is a FIFO, not a file", (path: string) => void execFileSync("mkfifo", [path])],
  ["is a directory, not a file", (path: string) => mkdirSync(path)],
  ["is a symlink to a file that does not exist", (path: string) => symlinkSync("nowhere", path)],
  ["cannot be read: ELOOP", (path: string) => symlinkSync("config.json", path)],
  ["is not UTF-8", (path: string) => writeFileSync(path, Buffer.from('{"model":"\xff"}', "latin1"), { mode: 0o600 })],
  ["is longer than 1048576 bytes", (path: string) => writeFileSync(path, " ".repeat(1_048_577), { mode: 0o600 })],
])("says that config.json %s", async (what, make) => {
  const home = await tempDir();
  make(join(home, "config.json"));
  expect(problemOf(home)).toContain(`This file ${what}`);
});

test("reads a file of exactly 1 MiB", async () => {
  const home = await openHome();
  writeFileSync(join(home, "config.json"), text.padEnd(1_048_576));
  expect(readConfig(home)).toMatchObject({ config: { sandbox: { enabled: true } }, problems: [] });
});

test("reads a missing file as an empty configuration", async () => {
  const home = await tempDir({ file: "" });
  for (const place of [home, "/nope/nowhere", join(home, "file")])
    expect(readConfig(place)).toMatchObject({ config: {}, problems: [] });
});

test("fails on a dangling symlink to a directory, which may hide a limit, and not on a missing directory", async () => {
  const root = await tempDir({ "disk/config.json": { content: text, mode: 0o600 } });
  symlinkSync("disk", join(root, "home"));
  chmodSync(join(root, "disk"), 0o700);
  expect(problemOf(join(root, "home"))).toBeUndefined();
  symlinkSync("unplugged", join(root, "other"));
  expect(problemOf(join(root, "other"))).toContain("is a symlink to a directory that does not exist");
  expect(problemOf(join(root, "none"))).toBeUndefined();
});
