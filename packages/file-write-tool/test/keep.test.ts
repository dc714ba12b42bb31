// Promise 4 of SECURITY.md.
import { chownSync, linkSync, readFileSync, statSync } from "node:fs";
import { call, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, asNobody, failure, isRoot, write } from "./run.ts";

test.each([0o755, 0o600, 0o666, 0o4755, 0o2711, 0o1644])("keeps the mode %o", async (mode) => {
  const cwd = await tempDir({ a: { content: "old", mode } });
  expect(await write("a", "new", { cwd })).toEqual(answer("a", 3));
  expect(statSync(`${cwd}/a`).mode & 0o7777).toBe(mode);
});

test("warns if a file had other hard links, and leaves them unchanged", async () => {
  const cwd = await tempDir({ a: "old" });
  linkSync(`${cwd}/a`, `${cwd}/b`);
  const warning = "It had 2 names (hard links); the others keep the old content.";
  expect(await write("a", "new", { cwd })).toEqual(answer("a", 3, { warning }));
  expect(readFileSync(`${cwd}/b`, "utf8")).toBe("old");
});

test.runIf(isRoot)("keeps owner and group", async () => {
  const cwd = await tempDir({ a: { content: "old", mode: 0o640 } });
  chownSync(`${cwd}/a`, 1234, 4321);
  expect(await write("a", "new", { cwd })).toEqual(answer("a", 3));
  expect(statSync(`${cwd}/a`)).toMatchObject({ uid: 1234, gid: 4321, mode: 0o100640 });
});

test.runIf(isRoot)("takes ownership if it cannot keep the owner, and passes on no rights", async () => {
  const cwd = await tempDir({ "open/a": { content: "old", mode: 0o4676 } });
  chownSync(`${cwd}/open`, 65534, 65534);
  chownSync(cwd, 65534, 65534);
  chownSync(`${cwd}/open/a`, 1234, 4321);
  const end = await call(await asNobody(), { file_path: "open/a", content: "new" }, { cwd });
  expect(end).toEqual(answer("a", 3, { warning: "It belonged to another user and is now yours." }));
  expect(statSync(`${cwd}/open/a`)).toMatchObject({ uid: 65534, gid: 65534, mode: 0o100666 });
});

test.runIf(isRoot).each([
  ["a file that is read-only", { "dir/a": { content: "old", mode: 0o444 } }, 65534, undefined],
  [
    "another user's directory",
    { "dir/a": { content: "old", mode: 0o666 } },
    0,
    "Files cannot be created in dir, which replacing a file requires.",
  ],
])("does not touch %s", async (_, files, owner, hint) => {
  const cwd = await tempDir(files);
  for (const path of [cwd, `${cwd}/dir`]) chownSync(path, owner, owner);
  const { chmodSync } = await import("node:fs");
  for (const path of [cwd, `${cwd}/dir`]) chmodSync(path, 0o755);
  const end = await call(await asNobody(), { file_path: "dir/a", content: "new" }, { cwd });
  expect(end).toEqual(failure("Permission denied: dir/a", "PERMISSION_DENIED", hint));
  expect(readFileSync(`${cwd}/dir/a`, "utf8")).toBe("old");
});
