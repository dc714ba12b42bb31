// @module-tag tables
import { execFileSync } from "node:child_process";
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { call, describeTool, ownExecutable, tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";

const bin = ownExecutable(import.meta.url);

async function grep(files: Parameters<typeof tempDir>[0], input: object) {
  return (await call(bin, input, { cwd: await tempDir(files) })).result;
}

describeTool(bin, {
  test,
  calls: [
    { pattern: "e", path: bin },
    { pattern: "e", path: bin, format: "json" },
    { pattern: "e", glob: "missing" },
  ],
});

describe("where it searches", () => {
  const files = {
    "b.c": "int b;\n",
    "a.c": "int a;\nint c;\n",
    "d.h": "int d;\n",
    "sub/e.c": "int e;\n",
    ".f.c": "int f;\n",
  };

  test("in all files of the current directory, sorted by path and line", async () => {
    const output = "a.c:1: int a;\na.c:2: int c;\nb.c:1: int b;\nd.h:1: int d;";
    const hint = "searched 3 files in '.'; 1 directory below was not searched: glob '**/*' does";
    for (const glob of [undefined, null, ""])
      expect(await grep(files, { pattern: "int", glob })).toEqual({ output, count: 4, hint });
  });

  test("in those that the glob selects", async () => {
    expect(await grep(files, { pattern: "int", glob: "*.h" })).toEqual({ output: "d.h:1: int d;", count: 1 });
  });

  test("in a directory, whose path precedes the files'", async () => {
    expect(await grep(files, { pattern: "int", path: "sub" })).toEqual({ output: "sub/e.c:1: int e;", count: 1 });
    expect(await grep(files, { pattern: "int", path: "sub/" })).toEqual({ output: "sub/e.c:1: int e;", count: 1 });
  });

  test("in everything below, with **", async () => {
    const output = ".f.c:1: int f;\na.c:1: int a;\na.c:2: int c;\nb.c:1: int b;\nsub/e.c:1: int e;";
    expect(await grep(files, { pattern: "int", glob: "**/*.c" })).toEqual({ output, count: 5 });
  });

  test("in one file", async () => {
    expect(await grep(files, { pattern: "int", path: "d.h" })).toEqual({ output: "d.h:1: int d;", count: 1 });
  });

  test("nowhere, if nothing matches", async () => {
    expect(await grep(files, { pattern: "int", path: "none" })).toMatchObject({ output: "", count: 0 });
    expect(await grep(files, { pattern: "nothing", path: "sub" })).toEqual({ output: "", count: 0 });
  });

  test("not in anything but regular files, without blocking", async () => {
    const cwd = await tempDir({
      "a.txt": "x\n",
      "directory/b.txt": "x\n",
      "link.txt": { link: "a.txt" },
      loop: { link: "loop" },
    });
    execFileSync("mkfifo", [join(cwd, "fifo")]);
    const output = "a.txt:1: x\nlink.txt:1: x";
    expect((await call(bin, { pattern: "x", glob: "*" }, { cwd })).result).toEqual({ output, count: 2 });
    expect((await call(bin, { pattern: "x", path: "fifo" }, { cwd })).result).toEqual({ output: "", count: 0 });
  });

  test("not in what cannot be read", async () => {
    const cwd = await tempDir({ "a.txt": "x\n", "b.txt": "x\n" });
    chmodSync(join(cwd, "a.txt"), 0);
    // A regular file that can be opened but not read, even by root.
    if (process.platform === "linux") symlinkSync("/proc/self/mem", join(cwd, "c.txt"));
    const found = (await call(bin, { pattern: "x" }, { cwd })).result;
    const a = process.getuid?.() === 0 ? "a.txt:1: x\n" : "";
    expect(found).toEqual({ output: `${a}b.txt:1: x`, count: a === "" ? 1 : 2 });
  });
});

describe("what it finds", () => {
  test("the line unchanged, including a carriage return", async () => {
    const text = "one\r\n\ttwo: three  \r\n";
    expect(await grep({ a: text }, { pattern: "t" })).toEqual({ output: "a:2: \ttwo: three  \r", count: 1 });
  });

  test("a last line without a newline", async () => {
    expect(await grep({ a: "x\nyx" }, { pattern: "x" })).toEqual({ output: "a:1: x\na:2: yx", count: 2 });
  });

  test("empty lines, and no line after the last newline", async () => {
    expect(await grep({ a: "\n\nx\n" }, { pattern: "^$" })).toEqual({ output: "a:1: \na:2: ", count: 2 });
    expect(await grep({ a: "" }, { pattern: "^$" })).toEqual({ output: "", count: 0 });
  });

  test("invalid UTF-8, shown as U+FFFD", async () => {
    const bytes = Buffer.from([0x61, 0xff, 0x62, 0x00, 0x0a]);
    expect(await grep({ a: bytes }, { pattern: "a" })).toEqual({ output: "a:1: a\ufffdb\u0000", count: 1 });
  });

  test("characters, not bytes", async () => {
    expect(await grep({ a: "né\n" }, { pattern: "^n.$" })).toEqual({ output: "a:1: né", count: 1 });
  });

  test("either case, if requested", async () => {
    expect(await grep({ a: "TODO\n" }, { pattern: "todo" })).toEqual({ output: "", count: 0 });
    expect(await grep({ a: "TODO\n" }, { pattern: "todo", ignore_case: true })).toEqual({
      output: "a:1: TODO",
      count: 1,
    });
  });

  test("an array of matches, with format json", async () => {
    const matches = [{ file: "a", line: 2, content: "x" }];
    expect(await grep({ a: "y\nx\n" }, { pattern: "x", format: "json" })).toEqual({ matches, count: 1 });
    expect(await grep({ a: "y\nx\n" }, { pattern: "z", format: "json" })).toEqual({ matches: [], count: 0 });
  });

  test("lines across buffer boundaries, with their numbers", async () => {
    const line = "0123456789".repeat(100);
    const text = `${`${line}\n`.repeat(3_000)}needle ${line}\n${line}`;
    expect(await grep({ a: text }, { pattern: "needle" })).toEqual({ output: `a:3001: needle ${line}`, count: 1 });
  });

  test("a line of many megabytes, completely", async () => {
    const long = `${"x".repeat(5_000_000)}needle`;
    expect(await grep({ a: `${long}\nneedle\n` }, { pattern: "needle$" })).toEqual({
      output: `a:1: ${long}\na:2: needle`,
      count: 2,
    });
  });
});
