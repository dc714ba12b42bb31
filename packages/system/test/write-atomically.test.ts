import { readdirSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { writeAtomically } from "../src/files/write-atomically.ts";
import { WriteConflict } from "../src/files/write-conflict.ts";
import { LockError } from "../src/lock/lock-error.ts";
import { lockFile } from "../src/lock/lock-file.ts";
import { tempDir } from "./temp-dir.ts";

test("leaves a file alone that is not as it was", async () => {
  const dir = await tempDir({ a: "old" });
  const before = statSync(`${dir}/a`, { bigint: true });
  writeFileSync(`${dir}/a`, "saved by somebody else");
  {
    using lock = await lockFile(`${dir}/a`);
    await expect(writeAtomically(lock, Buffer.from("new"), before)).rejects.toBeInstanceOf(WriteConflict);
  }
  expect(readFileSync(`${dir}/a`, "utf8")).toBe("saved by somebody else");
  expect(readdirSync(dir)).toEqual(["a"]);
});

test("leaves a file alone that somebody has written to, to the same size", async () => {
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

test("leaves a file alone when the lock was lost", async () => {
  const dir = await tempDir({ a: "old" });
  using lock = await lockFile(`${dir}/a`);
  unlinkSync(`${dir}/.a.ikigai-lock`);
  symlinkSync("somebody else's", `${dir}/.a.ikigai-lock`);
  await expect(writeAtomically(lock, Buffer.from("new"))).rejects.toBeInstanceOf(LockError);
  expect(readFileSync(`${dir}/a`, "utf8")).toBe("old");
  expect(readdirSync(dir)).toEqual([".a.ikigai-lock", "a"]);
});

test("clears away what a dead holder had written", async () => {
  const dir = await tempDir({ a: "old", ".a.ikigai-4194303.1.42": "half of" });
  const { text } = await forgottenLock(dir);
  symlinkSync(text.replace(/^\d+\.\d+\.(.*)-\d+\./, "4194303.1.$1-42."), `${dir}/.a.ikigai-lock`);
  // In a namespace that nobody sees, it counts as dead only after a while.
  {
    using _ = await lockFile(`${dir}/a`);
    expect(readdirSync(dir)).toEqual([".a.ikigai-lock", "a"]);
  }
  expect(readdirSync(dir)).toEqual(["a"]);
});

async function forgottenLock(dir: string): Promise<{ text: string }> {
  const { Lock } = await import("../src/lock/lock.ts");
  return new Lock(`${dir}/never-taken`);
}
