import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { call, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, asNobody, bin, isRoot, write } from "./run.ts";

const canTrace = spawnSync("strace", ["-V"]).status === 0;
const canList = await works("setfacl", ["-m", "u:1234:rw"]);
const canAttribute = await works("setfattr", ["-n", "user.note", "-v", "kept"]);

/** Whether a program is there, and the file system does what it asks for. */
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

test.runIf(canList)("adds nobody whom the directory's default list names", async () => {
  const cwd = await tempDir({ a: { content: "old", mode: 0o660 } });
  execFileSync("setfacl", ["-d", "-m", "u:1234:rw", cwd]);
  const before = listOf(`${cwd}/a`);
  expect(before).not.toContain("1234");
  expect(await write("a", "new", { cwd })).toEqual(answer("a", 3));
  expect(listOf(`${cwd}/a`)).toBe(before);
});

test.runIf(canAttribute)("keeps extended attributes", async () => {
  const cwd = await tempDir({ a: "old" });
  execFileSync("setfattr", ["-n", "user.note", "-v", "kept", `${cwd}/a`]);
  expect(await write("a", "new", { cwd })).toEqual(answer("a", 3));
  expect(noteOf(`${cwd}/a`)).toBe("kept");
  expect(await write("-n", "new", { cwd })).toEqual(answer("-n", 3));
  expect(await write("-n", "newer", { cwd })).toEqual(answer("-n", 5));
});

test.runIf(canAttribute && canTrace)("writes in place where they cannot be copied, and says so", async () => {
  const cwd = await tempDir({ a: { content: "old and longer", mode: 0o640 } });
  execFileSync("setfattr", ["-n", "user.note", "-v", "kept", `${cwd}/a`]);
  const { ino, mode } = statSync(`${cwd}/a`);
  const tool = `${await tempDir()}/strace-tool`;
  const inject = "inject=setxattr,fsetxattr,lsetxattr:error=EPERM";
  writeFileSync(tool, `#!/bin/sh\nexec strace -f -o /dev/null -e ${inject} ${bin}\n`, { mode: 0o755 });
  const warning =
    "Its access control list and extended attributes could not be copied, so it was written in place: a crash meanwhile would have left it half written.";
  expect(await call(tool, { file_path: "a", content: "new" }, { cwd })).toEqual(answer("a", 3, { warning }));
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("new");
  expect(statSync(`${cwd}/a`)).toMatchObject({ ino, mode });
  expect(noteOf(`${cwd}/a`)).toBe("kept");
  expect(readdirSync(cwd)).toEqual(["a"]);
});

test.runIf(isRoot && canList)("gives no right to another group when it cannot keep the owner", async () => {
  const cwd = await tempDir({ a: { content: "old", mode: 0o606 } });
  execFileSync("setfacl", ["-m", "u:1234:rwx,m::rwx", `${cwd}/a`]);
  chownSync(cwd, 65534, 65534);
  chownSync(`${cwd}/a`, 1234, 4321);
  const end = await call(await asNobody(), { file_path: "a", content: "new" }, { cwd });
  expect(end).toEqual(answer("a", 3, { warning: "It belonged to another user and is now yours." }));
  const [, group] = /^group::(...)/m.exec(listOf(`${cwd}/a`)) ?? [];
  expect(group).toBe("---");
});
