import { spawnSync } from "node:child_process";
import { mkdirSync, statSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { makeDirectories } from "../src/files/directories.ts";
import { isLinux } from "../src/platform.ts";
import { bundled } from "./programs.ts";
import { tempDir } from "./temp-dir.ts";

/** Creates the directory in a process that can be killed, after a shell command. A loop makes it print nothing. */
async function makeAfter(command: string, path: string): Promise<string> {
  const program = await bundled("make-directories");
  const shell = `${command} && exec "$@"`;
  const args = ["-c", shell, "sh", process.execPath, program, path];
  const { stdout } = spawnSync("sh", args, { encoding: "utf8", timeout: 60_000, killSignal: "SIGKILL" });
  return stdout.trim();
}

test("creates a directory and its parents, and accepts an existing one", async () => {
  const dir = await tempDir();
  makeDirectories(`${dir}/a/b/c/`, 0o700);
  makeDirectories(`${dir}/a/b/c`);
  expect(["a", "a/b", "a/b/c"].map((path) => statSync(`${dir}/${path}`).mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
  symlinkSync("a", `${dir}/link`);
  makeDirectories(`${dir}/link/d`);
  expect(statSync(`${dir}/a/d`).isDirectory()).toBe(true);
});

test.each([
  ["a file in its place", "file", "EEXIST"],
  ["a file as its parent", "file/x", "ENOTDIR"],
  ["a dangling link in its place", "dangling", "EEXIST"],
  ["a dangling link as its parent", "dangling/x/y", "EEXIST"],
  ["a link to itself as its parent", "loop/x", "ELOOP"],
  ["a parent that cannot be written", "closed/x/y", "EACCES"],
])("fails with %s", async (_, path, code) => {
  const dir = await tempDir({ file: "" });
  symlinkSync("nothing", `${dir}/dangling`);
  symlinkSync("loop", `${dir}/loop`);
  mkdirSync(`${dir}/closed`, { mode: 0o500 });
  // The superuser may write anywhere.
  const isClosed = path.startsWith("closed") && process.getuid?.() === 0;
  if (!isClosed) expect(await makeAfter("true", `${dir}/${path}`)).toBe(code);
});

test.runIf(isLinux).each(["/proc/x", "/proc/x/y", "/proc/self/fd/x/y"])(
  "fails instead of looping for %s",
  async (path) => {
    expect(await makeAfter("true", path)).toBe("ENOENT");
  },
);

test("fails instead of looping in a removed working directory", async () => {
  const dir = await tempDir();
  mkdirSync(`${dir}/gone`);
  expect(await makeAfter(`cd ${dir}/gone && rmdir ${dir}/gone`, "a/b")).toBe("ENOENT");
});
