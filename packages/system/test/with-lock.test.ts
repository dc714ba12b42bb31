import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { withLock } from "../src/files/lock.ts";
import { tempDir } from "./temp-dir.ts";

/** A process that holds the lock for this long. */
async function holder(path: string, holdMs: number): Promise<[ended: Promise<unknown>]> {
  const outfile = join(await tempDir(), "with-lock.mjs");
  const source = join(import.meta.dirname, "../src/files/lock.ts");
  await build({ entryPoints: [source], bundle: true, platform: "node", format: "esm", outfile });
  const script = `
    import { withLock } from ${JSON.stringify(outfile)};
    await withLock(${JSON.stringify(path)}, async () => {
      console.log("inside");
      await new Promise((settle) => setTimeout(settle, ${holdMs}));
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  return [ended];
}

test("never has a second holder while the first is running, however long it takes", async () => {
  const path = join(await tempDir(), "file");
  const [ended] = await holder(path, 6_500);
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  // It releases the lock before it exits.
  await withLock(path, () => expect.poll(() => hasEnded).toBe(true));
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

test("reports after ten seconds who holds the lock, and does not touch it", { tags: ["slow"] }, async () => {
  const path = join(await tempDir(), "file");
  await holder(path, 60_000);
  const message = /^Process \d+ has held the lock .*file\.lock for 10 s\. Try again when it is done\.$/;
  await expect(withLock(path, () => "done")).rejects.toThrow(message);
  expect(readdirSync(join(path, ".."))).toEqual(["file.lock"]);
});

test("releases the lock if the work fails", async () => {
  const path = join(await tempDir(), "file");
  await expect(withLock(path, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await expect(withLock(path, () => "done")).resolves.toBe("done");
});

test("says what to remove from the lock's path", async () => {
  const path = join(await tempDir(), "file");
  mkdirSync(`${path}.lock`);
  writeFileSync(`${path}.lock/theirs`, "");
  await expect(withLock(path, () => "done")).rejects.toThrow(
    "is a directory, but ikigai needs this path for a lock file. Move it away.",
  );
});
