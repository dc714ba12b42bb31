// Promise 4 of SECURITY.md.
// @module-tag sampled
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { call, tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { answer, bin, failure, isRoot, write } from "./run.ts";

const canTrace = spawnSync("strace", ["-V"]).status === 0;
const canMount = isRoot && spawnSync("unshare", ["--mount", "true"]).status === 0;

/** An empty file system of this size, removed with the test. */
function mounted(dir: string, options: string): string {
  mkdirSync(`${dir}/mounted`);
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", `${dir}/mounted`]);
  onTestFinished(() => void execFileSync("umount", ["--lazy", `${dir}/mounted`]));
  return `${dir}/mounted`;
}

test.runIf(canMount)("leaves the old content on a full disk", async () => {
  const cwd = mounted(await tempDir(), "size=64k");
  writeFileSync(`${cwd}/a`, "old");
  for (const name of ["a", "new"]) {
    expect(await write(name, "x".repeat(100_000), { cwd })).toEqual(
      failure(`No space left on device: ${name}`, "NO_SPACE"),
    );
  }
  expect(readdirSync(cwd)).toEqual(["a"]);
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("old");
  expect(await write("a", "x".repeat(30_000), { cwd })).toEqual(answer("a", 30_000));
});

test.runIf(canMount)("does not touch anything on a read-only disk", async () => {
  const cwd = mounted(await tempDir(), "size=64k");
  writeFileSync(`${cwd}/a`, "old");
  execFileSync("mount", ["-o", "remount,ro", cwd]);
  for (const name of ["a", "new"]) {
    expect(await write(name, "new", { cwd })).toEqual(
      failure(`Permission denied: ${name}`, "PERMISSION_DENIED", "The file system is read-only."),
    );
  }
  expect(readdirSync(cwd)).toEqual(["a"]);
});

test.runIf(canMount)("does not replace a mount point", async () => {
  const cwd = await tempDir({ a: "old", other: "mounted" });
  execFileSync("mount", ["--bind", `${cwd}/other`, `${cwd}/a`]);
  onTestFinished(() => void execFileSync("umount", [`${cwd}/a`]));
  expect(await write("a", "new", { cwd })).toEqual(
    failure("Failed to write file: a", "WRITE_FAILED", "It is in use, for instance as a mount point."),
  );
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("mounted");
  expect(readdirSync(cwd)).toEqual(["a", "other"]);
});

/** Runs the tool with a system call that fails. */
async function traced(dir: string, fault: string): Promise<string> {
  writeFileSync(`${dir}/strace-tool`, `#!/bin/sh\nexec strace -f -o /dev/null -e inject=${fault} ${bin}\n`, {
    mode: 0o755,
  });
  return `${dir}/strace-tool`;
}

test.runIf(canTrace).each([
  ["fsync:error=EIO", "WRITE_FAILED", "Failed to write file: a"],
  ["rename:error=EPERM", "PERMISSION_DENIED", "Permission denied: a"],
  ["fchmod:error=EIO", "WRITE_FAILED", "Failed to write file: a"],
])("leaves the old content and nothing else after %s", async (fault, code, error) => {
  const cwd = await tempDir({ a: "old" });
  const tool = await traced(await tempDir(), fault);
  expect(await call(tool, { file_path: "a", content: "new" }, { cwd })).toEqual(
    failure(error, code, expect.any(String)),
  );
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("old");
  expect(readdirSync(cwd)).toEqual(["a"]);
});

test.runIf(canTrace)("removes its lock although a read of it fails", async () => {
  const cwd = await tempDir({ a: "old" });
  // The first read is the check before the change.
  const tool = await traced(await tempDir(), `readlink:error=EIO:when=2 -P ./.a.ikigai-lock`);
  expect(await call(tool, { file_path: "a", content: "new" }, { cwd })).toEqual(answer("a", 3));
  expect(readdirSync(cwd)).toEqual(["a"]);
});

test("writes everything if the system accepts little at a time", async () => {
  const cwd = await tempDir();
  const script =
    'const fs = require("node:fs"), w = fs.writeSync; fs.writeSync = (fd, b, at = 0, n) => w(fd, b, at, Math.min(n ?? b.length, 7));';
  writeFileSync(`${cwd}/short.cjs`, script);
  const env = { NODE_OPTIONS: `--require=${cwd}/short.cjs` };
  expect(await write("a", "0123456789\n".repeat(50), { cwd, env })).toEqual(answer("a", 550));
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("0123456789\n".repeat(50));
});

test.runIf(canTrace)("removes what a killed tool left, at the next write to the file", async () => {
  const cwd = await tempDir({ a: "old" });
  const tool = await traced(await tempDir(), "rename:signal=SIGKILL");
  const { exitCode } = await call(tool, { file_path: "a", content: "new" }, { cwd });
  expect(exitCode).toBe(137);
  expect(readdirSync(cwd)).toHaveLength(3);
  expect(["old", "new"]).toContain(readFileSync(`${cwd}/a`, "utf8"));
  expect(await write("a", "newer", { cwd })).toEqual(answer("a", 5));
  expect(readdirSync(cwd)).toEqual(["a"]);
});

test.runIf(canTrace).each(["SIGTERM", "SIGHUP"])("leaves no lock if %s arrives while it is created", async (signal) => {
  const cwd = await tempDir({ a: "old" });
  const tool = await traced(await tempDir(), `symlink:signal=${signal}`);
  await call(tool, { file_path: "a", content: "x".repeat(5_000_000) }, { cwd });
  expect(readdirSync(cwd)).toEqual(["a"]);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("leaves nothing behind on %s", async (signal) => {
  const cwd = await tempDir({ a: "old" });
  const content = "x".repeat(100_000_000);
  const tool = spawn(bin, { cwd, stdio: ["pipe", "ignore", "inherit"] });
  tool.stdin.end(JSON.stringify({ file_path: "a", content }));
  const isWriting = () => readdirSync(cwd).some((name) => name.startsWith(`.a.ikigai-tmp.${tool.pid}.`));
  while (!isWriting() && tool.exitCode === null) await new Promise((settle) => setTimeout(settle, 1));
  tool.kill(signal);
  if (tool.exitCode === null && tool.signalCode === null) await once(tool, "exit");
  expect(readdirSync(cwd)).toEqual(["a"]);
  const found = readFileSync(`${cwd}/a`, "utf8");
  expect(found === "old" || found === content).toBe(true);
  expect(tool.signalCode === signal ? found === "old" : tool.exitCode === 0).toBe(true);
});

test("runs concurrent writes to a file one after the other", async () => {
  const cwd = await tempDir({ a: "old" });
  const contents = Array.from({ length: 8 }, (_, index) => `${index}`.repeat(200_000));
  const ends = await Promise.all(contents.map((content) => write("a", content, { cwd })));
  for (const end of ends) expect(end).toEqual(answer("a", 200_000));
  expect(contents.includes(readFileSync(`${cwd}/a`, "utf8"))).toBe(true);
  expect(readdirSync(cwd)).toEqual(["a"]);
});
