// @module-tag sampled
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmdirSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ikigai, until } from "./ikigai.ts";
import { greeter, readRecord, world } from "./tool-world.ts";

test("when it is stopped, git and npm end too, and no file is left", async () => {
  const { cwd, env, home } = await world();
  // A server that accepts requests and never answers.
  let questions = 0;
  const server = createServer(() => void questions++).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/repo.git`;
  const end = await ikigai(["tool", "add", url, "--yes"], {
    cwd,
    env,
    async whileRunning({ kill }) {
      await until(() => questions > 0, "git");
      kill("SIGTERM");
    },
  });
  expect(end.exitCode).toBe(143);
  expect(["packages", "tools"].filter((name) => existsSync(join(home, name)))).toEqual([]);
  await until(() => !isMentioned(url), "git to end");
});

/** Whether the command line of a running process contains this text. */
function isMentioned(text: string): boolean {
  return execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).includes(text);
}

test("several parallel installs are all recorded", async () => {
  const names = ["a", "b", "c", "d"];
  const files = Object.fromEntries(names.map((name) => [`packs/${name}/${name}-tool`, greeter(name, name)]));
  const { home, run, call } = await world(files);
  const ends = await Promise.all(names.map((name) => run("add", `../packs/${name}`, "--yes")));
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
  expect(Object.keys(readRecord(home))).toEqual(names);
  expect(await call("c")).toBe("c");
});

test("restores lost files from the recorded commit, even if there is a newer one", async () => {
  const { root, home, run, call } = await world({ "repo/hi-tool": greeter("hi", "one") });
  const git = (script: string) =>
    execFileSync("sh", ["-ec", script], {
      cwd: join(root, "repo"),
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", EMAIL: "a@b" },
      stdio: "pipe",
    });
  git("git init --quiet; git add .; git commit --quiet -m one");
  await run("add", `file://${root}/repo`, "--yes");
  const before = readRecord(home);
  git("sed -i.bak s/one/two/ hi-tool; git commit --quiet -am two");
  rmSync(join(home, "packages"), { recursive: true });
  expect((await run("list")).stdout).toContain("hi-tool is missing. To restore it: ikigai tool update repo");
  const { stdout, stderr } = await run("update", "--yes");
  expect(stderr).toContain("repo is incomplete.\n");
  expect(stdout).toContain("\nThe source is unchanged.\nThese files are missing and will be restored:\n  hi-tool\n\n");
  expect(stdout).not.toContain("is new");
  expect(stdout).toMatch(/\nRestored repo [0-9a-f]+: hi\n$/);
  expect(readRecord(home)).toEqual(before);
  rmSync(join(home, "tools/hi-tool"));
  expect((await run("update", "--yes")).stdout).toContain(
    "\nThe source is unchanged.\nThe tool hi will be restored.\n",
  );
  expect(await call("hi")).toBe("one");
  await run("update", "--yes");
  expect(await call("hi")).toBe("two");
});

test("an update keeps the name from --name", async () => {
  const { root, run, call } = await world({ "pack/hi-tool": greeter("hi", "one") });
  await run("add", "../pack", "--name", "good_day", "--yes");
  // The user knows that the schema says hi.
  expect((await run("list")).stdout).not.toContain("Notes:");
  expect(await call("good_day")).toBe("one");
  execFileSync("sed", ["-i.bak", "s/one/two/", join(root, "pack/hi-tool")]);
  rmSync(join(root, "pack/hi-tool.bak"));
  await run("update", "good-day", "--yes");
  expect(await call("good_day")).toBe("two");
});

test("names a tool that another --name removes before anything changes", async () => {
  const { run, call } = await world({ "pack/hi-tool": greeter("hi", "one") });
  await run("add", "../pack", "--name", "good_day", "--yes");
  expect((await run("add", "../pack", "--dry-run")).stdout).toMatch(/^good_day is removed\.$/m);
  expect(await call("good_day")).toBe("one");
  const { stdout } = await run("add", "../pack", "--yes");
  expect(stdout.match(/^good_day is removed\.$/gm)).toHaveLength(1);
  expect(await call("hi")).toBe("one");
});

test("says which program is missing", async () => {
  const { root, cwd, env } = await world({ "bin/": "" });
  symlinkSync(process.execPath, join(root, "bin/node"));
  const PATH = [join(root, "bin")].join(delimiter);
  const end = await ikigai(["tool", "add", "https://127.0.0.1:9/x.git", "--yes"], { cwd, env: { ...env, PATH } });
  expect(end.stderr).toContain("git is not on the PATH. Install it and try again.");
  expect(end.exitCode).toBe(1);
});

test("installs an archive from npm pack", async () => {
  const { root, home, run, call } = await world({
    "pack/package.json": '{"name":"@acme/hi-tool","version":"2.0.0","bin":"run.sh"}',
    "pack/run.sh": { content: greeter("hi", "packed"), mode: 0o755 },
  });
  execFileSync("npm", ["pack", "--pack-destination", join(root, "project")], {
    cwd: join(root, "pack"),
    stdio: "pipe",
  });
  expect(await run("add", "./acme-hi-tool-2.0.0.tgz", "--yes")).toMatchObject({ exitCode: 0 });
  expect(await call("hi")).toBe("packed");
  execFileSync("tar", ["czf", "other.tgz", "-C", join(root, "pack"), "run.sh"], { cwd: join(root, "project") });
  expect(await run("add", "./other.tgz", "--yes")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      `other.tgz has no package.json. Expected a tarball made by npm pack. For other archives, unpack them and add the folder.\n`,
    ),
  });
  expect(readRecord(home)["@acme/hi-tool"]).toMatchObject({
    source: join(root, "project/acme-hi-tool-2.0.0.tgz"),
    version: "2.0.0",
    integrity: expect.stringMatching(/^sha512-/),
  });
});

test("changes nothing while its record is damaged, and says so", async () => {
  const { home, run } = await world({ "hi there/hi-tool": greeter("hi", "hi"), "home/.ikigai/tools.json": "{" });
  const complaint = `${join(home, "tools.json")}, the record of added tools, is damaged.`;
  for (const args of [
    ["add", "../hi there", "--yes"],
    ["remove", "hi"],
    ["update", "--yes"],
  ]) {
    const { exitCode, stderr } = await run(...args);
    expect(stderr).toContain(complaint);
    expect(exitCode).toBe(1);
  }
  expect((await run("list")).stdout).toContain(complaint);
  rmSync(join(home, "tools.json"));
  mkdirSync(join(home, "tools.json"));
  const unreadable = `Cannot read ${join(home, "tools.json")}, the record of added tools: `;
  expect(await run("list")).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(unreadable) });
  expect(await run("remove", "hi")).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(unreadable) });
  rmdirSync(join(home, "tools.json"));
  execFileSync("mkfifo", [join(home, "tools.json")]);
  expect(await run("list")).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(unreadable) });
  rmSync(join(home, "tools.json"));
  expect(await run("add", "../hi there", "--yes")).toMatchObject({ exitCode: 0 });
  expect(Object.keys(readRecord(home))).toEqual(["hi-there"]);
});
