import { readdirSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LockError, WriteConflict } from "../src/errors.ts";
import { lockFile } from "../src/files/lock.ts";
import { writeAtomically } from "../src/files/write-atomically.ts";
import { tempDir } from "./temp-dir.ts";

test("does not touch a file that has changed", async () => {
  const dir = await tempDir({ a: "old" });
  const before = statSync(`${dir}/a`, { bigint: true });
  writeFileSync(`${dir}/a`, "saved by someone else");
  {
    using lock = await lockFile(`${dir}/a`);
    await expect(writeAtomically(lock, Buffer.from("new"), before)).rejects.toBeInstanceOf(WriteConflict);
  }
  expect(readFileSync(`${dir}/a`, "utf8")).toBe("saved by someone else");
  expect(readdirSync(dir)).toEqual(["a"]);
});

test("does not touch a file that was changed to the same size", async () => {
  const dir = await tempDir({ a: "old" });
  const before = statSync(`${dir}/a`, { bigint: true });
  writeFileSync(`${dir}/a`, "mine");
  writeFileSync(`${dir}/a`, "own");
  {
    using lock = await lockFile(`${dir}/a`);
    await expect(writeAtomically(lock, Buffer.from("new"), before)).rejects.toBeInstanceOf(WriteConflict);
  }
  expect(readFileSync(`${dir}/a`, "utf8")).toBe("own");
});

test("does not touch a file after losing the lock", async () => {
  const dir = await tempDir({ a: "old" });
  using lock = await lockFile(`${dir}/a`);
  unlinkSync(`${dir}/.a.ikigai-lock`);
  symlinkSync("another process", `${dir}/.a.ikigai-lock`);
  await expect(writeAtomically(lock, Buffer.from("new"))).rejects.toBeInstanceOf(LockError);
  expect(readFileSync(`${dir}/a`, "utf8")).toBe("old");
  expect(readdirSync(dir)).toEqual([".a.ikigai-lock", "a"]);
});

test("removes the temporary file of a dead holder", async () => {
  const dir = await tempDir({ a: "old", ".a.ikigai-tmp.4194303.1.42": "half of" });
  const { text } = await forgottenLock(dir);
  symlinkSync(text.replace(/^\d+\.\d+\.(.*)-\d+\./, "4194303.1.$1-42."), `${dir}/.a.ikigai-lock`);
  // In an invisible namespace, it counts as dead only after a while.
  {
    using _ = await lockFile(`${dir}/a`);
    expect(readdirSync(dir)).toEqual([".a.ikigai-lock", "a"]);
  }
  expect(readdirSync(dir)).toEqual(["a"]);
});

async function forgottenLock(dir: string): Promise<{ text: string }> {
  const { Lock } = await import("../src/files/lock.ts");
  return new Lock(`${dir}/never-taken`);
}
