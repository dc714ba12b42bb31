import { chmodSync, existsSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { tempDir } from "../src/index.ts";

test("writes files, directories and links", async () => {
  const dir = await tempDir({
    "a.txt": "one\n",
    "sub/b.bin": new Uint8Array([0xff, 0]),
    "empty/": "",
    "c.txt": { link: "a.txt" },
    "d.txt": { content: "x", mode: 0o600 },
    "e-tool": "#!/bin/sh\n",
  });
  expect(readFileSync(`${dir}/c.txt`, "utf8")).toBe("one\n");
  expect([...readFileSync(`${dir}/sub/b.bin`)]).toEqual([0xff, 0]);
  expect(statSync(`${dir}/empty`).isDirectory()).toBe(true);
  expect(readlinkSync(`${dir}/c.txt`)).toBe("a.txt");
  expect(statSync(`${dir}/d.txt`).mode & 0o777).toBe(0o600);
  expect(statSync(`${dir}/e-tool`).mode & 0o777).toBe(0o755);
});

test("creates a new directory for every caller", async () => {
  expect(await tempDir()).not.toBe(await tempDir());
});

// The last one: it removes what the others have made.
test("is removed when a test runner stops its worker, even unreadable directories", async () => {
  const dir = await tempDir({ "closed/a.txt": "" });
  chmodSync(`${dir}/closed`, 0);
  const survive = () => {};
  process.on("SIGTERM", survive);
  process.emit("SIGTERM");
  process.off("SIGTERM", survive);
  await expect.poll(() => existsSync(dir)).toBe(false);
});
