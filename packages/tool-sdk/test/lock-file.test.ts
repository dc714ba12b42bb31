import { spawnSync } from "node:child_process";
import { lstatSync, lutimesSync, readdirSync, readlinkSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { lockFile } from "../src/lock-file.ts";
import { WriteConflict } from "../src/write-conflict.ts";

/** The id of a process that has ended. */
const deadPid = spawnSync("true").pid;

test("makes a link that tells who holds the lock, and removes it at the end", async () => {
  const dir = await tempDir();
  {
    using lock = await lockFile(`${dir}/a`);
    expect(lock).toMatchObject({ target: `${dir}/a`, temporary: `${dir}/.a.ikigai-${process.pid}` });
    expect(readlinkSync(`${dir}/.a.ikigai-lock`)).toBe(`${process.pid}`);
  }
  expect(readdirSync(dir)).toEqual([]);
});

test("waits until the lock is free", async () => {
  const dir = await tempDir();
  const order: string[] = [];
  const first = await lockFile(`${dir}/a`);
  const waiting = lockFile(`${dir}/a`).then((lock) => {
    order.push("second has it");
    lock[Symbol.dispose]();
  });
  await new Promise((settle) => setTimeout(settle, 30));
  order.push("first gives it up");
  first[Symbol.dispose]();
  await waiting;
  expect(order).toEqual(["first gives it up", "second has it"]);
  expect(readdirSync(dir)).toEqual([]);
});

test("does not make those wait who are at another file", async () => {
  const dir = await tempDir();
  using a = await lockFile(`${dir}/a`);
  using b = await lockFile(`${dir}/b`);
  expect(a.temporary).not.toBe(b.temporary);
});

test("clears away what a dead process left", async () => {
  const dir = await tempDir({ [`.a.ikigai-${deadPid}`]: "half of" });
  symlinkSync(`${deadPid}`, `${dir}/.a.ikigai-lock`);
  {
    using _ = await lockFile(`${dir}/a`);
    expect(readdirSync(dir)).toEqual([".a.ikigai-lock"]);
  }
  expect(readdirSync(dir)).toEqual([]);
});

test.each([
  ["another process got the id of its holder", (path: string) => symlinkSync(`${process.pid}`, path)],
  ["nobody knows its holder", (path: string) => writeFileSync(path, "")],
])("takes a lock that is a minute old for left behind, should %s", async (_, make) => {
  const dir = await tempDir();
  const path = `${dir}/.a.ikigai-lock`;
  make(path);
  const longAgo = new Date(Date.now() - 61_000);
  lutimesSync(path, longAgo, longAgo);
  using lock = await lockFile(`${dir}/a`);
  expect(Date.now() - lstatSync(path).mtimeMs).toBeLessThan(30_000);
  expect(lock.target).toBe(`${dir}/a`);
});

test("gives up after five seconds", async () => {
  const dir = await tempDir();
  const path = `${dir}/.a.ikigai-lock`;
  symlinkSync(`${process.pid}`, path);
  await expect(lockFile(`${dir}/a`)).rejects.toEqual(new WriteConflict(`Another tool holds the lock ${path}.`));
  unlinkSync(path);
});

test("says what the system says when nothing can be made beside the file", async () => {
  const dir = await tempDir();
  await expect(lockFile(`${dir}/no/a`)).rejects.toMatchObject({ code: "ENOENT", syscall: "symlink" });
});
