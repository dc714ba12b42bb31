// Promise 4 of SECURITY.md.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { call, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, asNobody, bin, isRoot, write } from "./run.ts";

const canTrace = spawnSync("strace", ["-V"]).status === 0;
const canList = await works("setfacl", ["-m", "u:1234:rw"]);
const canAttribute = await works("setfattr", ["-n", "user.note", "-v", "kept"]);

/** Whether a program exists, and the file system supports it. */
async function works(program: string, args: readonly string[]): Promise<boolean> {
  return spawnSync(program, [...args, `${await tempDir({ a: "" })}/a`]).status === 0;
}

const listOf = (path: string) =>
  execFileSync("getfacl", ["--absolute-names", "--omit-header", path], { encoding: "utf8" });
const noteOf = (path: string) =>
  execFileSync("getfattr", ["--absolute-names", "--only-values", "-n", "user.note", path], { encoding: "utf8" });

test.runIf(canList).each([0o600, 0o640, 0o4755])(
  "keeps an access control list, and gives the group of mode %o no right",
  async (mode) => {
    const cwd = await tempDir({ a: { content: "old", mode } });
    execFileSync("setfacl", ["-m", "u:1234:rw,g:4321:r", `${cwd}/a`]);
    const before = { list: listOf(`${cwd}/a`), mode: statSync(`${cwd}/a`).mode };
    expect(before.list).toContain(`group::${mode === 0o600 ? "---" : mode === 0o640 ? "r--" : "r-x"}\n`);
    expect(await write("a", "new", { cwd })).toEqual(answer("a", 3));
    expect({ list: listOf(`${cwd}/a`), mode: statSync(`${cwd}/a`).mode }).toEqual(before);
    expect(readFileSync(`${cwd}/a`, "utf8")).toBe("new");
  },
);

const inPlace =
  "Its access control list and extended attributes could not be copied, so it was written in place: a crash would have left it partly written.";

/** The tool under `strace`, which makes system calls fail or do nothing. */
async function injected(inject: string): Promise<string> {
  const tool = `${await tempDir()}/strace-tool`;
  writeFileSync(tool, `#!/bin/sh\nexec strace -f -o /dev/null -e inject=${inject} ${bin}\n`, { mode: 0o755 });
  return tool;
}

// `cp` of GNU coreutils 9.2 and later leaves the list that a file inherited from its directory.
test.runIf(canList && canTrace).each([
  ["removes a list", bin],
  ["leaves it", await injected("setxattr,fsetxattr,removexattr,fremovexattr:retval=0")],
])("gives no right to anyone in the directory's default list, with a cp that %s", async (_, tool) => {
  const cwd = await tempDir({ a: { content: "old", mode: 0o660 } });
  execFileSync("setfacl", ["-d", "-m", "u:1234:rw", cwd]);
  const before = listOf(`${cwd}/a`);
  expect(before).not.toContain("1234");
  expect(await call(tool, { file_path: "a", content: "new" }, { cwd })).toEqual(answer("a", 3, { warning: inPlace }));
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("new");
  expect(listOf(`${cwd}/a`)).toBe(before);
});

test.runIf(canList)("replaces a file whose list is the directory's default list", async () => {
  const cwd = await tempDir();
  execFileSync("setfacl", ["-d", "-m", "u:1234:rw", cwd]);
  expect(await write("a", "old", { cwd })).toEqual(answer("a", 3));
  const before = { list: listOf(`${cwd}/a`), ino: statSync(`${cwd}/a`).ino };
  expect(before.list).toContain("1234");
  expect(await write("a", "new", { cwd })).toEqual(answer("a", 3));
  expect(listOf(`${cwd}/a`)).toBe(before.list);
  expect(statSync(`${cwd}/a`).ino).not.toBe(before.ino);
});

test.runIf(canAttribute)("keeps extended attributes", async () => {
  const cwd = await tempDir({ a: "old" });
  execFileSync("setfattr", ["-n", "user.note", "-v", "kept", `${cwd}/a`]);
  expect(await write("a", "new", { cwd })).toEqual(answer("a", 3));
  expect(noteOf(`${cwd}/a`)).toBe("kept");
  expect(await write("-n", "new", { cwd })).toEqual(answer("-n", 3));
  expect(await write("-n", "newer", { cwd })).toEqual(answer("-n", 5));
});

test.runIf(canAttribute && canTrace)("writes in place if they cannot be copied, and warns", async () => {
  const cwd = await tempDir({ a: { content: "old and longer", mode: 0o640 } });
  execFileSync("setfattr", ["-n", "user.note", "-v", "kept", `${cwd}/a`]);
  const { ino, mode } = statSync(`${cwd}/a`);
  const tool = await injected("setxattr,fsetxattr,lsetxattr:error=EPERM");
  expect(await call(tool, { file_path: "a", content: "new" }, { cwd })).toEqual(answer("a", 3, { warning: inPlace }));
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("new");
  expect(statSync(`${cwd}/a`)).toMatchObject({ ino, mode });
  expect(noteOf(`${cwd}/a`)).toBe("kept");
  expect(readdirSync(cwd)).toEqual(["a"]);
});

test.runIf(isRoot && canList).each([
  ["another group", 4321, 0o606],
  ["users who run it as its new owner", 65534, 0o4606],
])("gives no right to %s if it cannot keep the owner, not even briefly", async (_, group, mode) => {
  const cwd = await tempDir({ a: { content: "old", mode } });
  execFileSync("setfacl", ["-m", "u:65534:rw,u:1234:rwx", `${cwd}/a`]);
  chownSync(cwd, 65534, 65534);
  chownSync(`${cwd}/a`, 1234, group);
  chmodSync(`${cwd}/a`, statSync(`${cwd}/a`).mode | mode);
  const before = listOf(`${cwd}/a`);
  const end = await call(await asNobody(), { file_path: "a", content: "new" }, { cwd });
  expect(end).toEqual(answer("a", 3, { warning: inPlace }));
  expect(listOf(`${cwd}/a`)).toBe(before);
  expect(statSync(`${cwd}/a`)).toMatchObject({ uid: 1234, gid: group });
});

test.runIf(isRoot && canList)("keeps a list if it cannot keep the owner but the group", async () => {
  const cwd = await tempDir({ a: { content: "old", mode: 0o606 } });
  execFileSync("setfacl", ["-m", "u:65534:rw,u:1234:rwx", `${cwd}/a`]);
  chownSync(cwd, 65534, 65534);
  chownSync(`${cwd}/a`, 1234, 65534);
  const before = listOf(`${cwd}/a`);
  const end = await call(await asNobody(), { file_path: "a", content: "new" }, { cwd });
  expect(end).toEqual(answer("a", 3, { warning: "It belonged to another user and is now yours." }));
  expect(listOf(`${cwd}/a`)).toBe(before);
});
