// @module-tag sampled
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, ownExecutable, tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { mergeFound } from "../src/search-files.ts";

const bin = ownExecutable(import.meta.url);
const globBin = fileURLToPath(new URL("../../glob-tool/dist/glob-tool", import.meta.url));
const isLinux = process.platform === "linux";
const hasStrace = isLinux && spawnSync("strace", ["-V"]).status === 0;
const nobody = 65_534;

test("continues after a directory that can be listed but not entered", async () => {
  const cwd = await tempDir({ "a.txt": "needle\n", "d/b.txt": "needle\n", "z.txt": "needle\n" });
  chmodSync(cwd, 0o755);
  chmodSync(join(cwd, "d"), 0o744);
  // Root can enter every directory, so the search runs as another user.
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) chmodSync(join(cwd, "d"), 0o644);
  const input = JSON.stringify({ pattern: "needle", glob: "**/*" });
  const asNobody = isRoot ? { uid: nobody, gid: nobody } : {};
  // If the other user cannot run the built file, its text still runs.
  const script = `${cwd}/grep-tool`;
  writeFileSync(script, execFileSync("cat", [bin]), { mode: 0o755 });
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    cwd,
    input,
    encoding: "utf8",
    ...asNobody,
  });
  chmodSync(join(cwd, "d"), 0o755);
  expect({ status, stderr, answer: JSON.parse(stdout) }).toMatchObject({
    status: 0,
    stderr: "",
    answer: { output: "a.txt:1: needle\nz.txt:1: needle" },
  });
});

describe.skipIf(!hasStrace)("an I/O error of one directory", () => {
  /** Runs a tool for which every listing of the directory `bad` fails. */
  function search(tool: string, input: object, cwd: string) {
    const args = ["-f", "-qq", "-o", "/dev/null", "-P", join(cwd, "bad"), "-e", "inject=getdents64:error=EIO", tool];
    const { status, stdout, stderr } = spawnSync("strace", args, {
      cwd,
      input: JSON.stringify(input),
      encoding: "utf8",
    });
    return { status, stderr, answer: JSON.parse(stdout || "{}") };
  }

  test("does not end the search, and is named in the answer", async () => {
    const cwd = await tempDir({ "a.txt": "needle\n", "bad/b.txt": "needle\n", "z.txt": "needle\n" });
    const hint = "Not searched: 'bad/' (EIO).";
    const beside = { truncated: true, hint };
    expect(search(bin, { pattern: "needle", glob: "**/*" }, cwd)).toEqual({
      status: 0,
      stderr: "",
      answer: { output: "a.txt:1: needle\nz.txt:1: needle", count: 2, ...beside },
    });
    expect(search(globBin, { pattern: "**/*.txt" }, cwd)).toEqual({
      status: 0,
      stderr: "",
      answer: { output: "a.txt\nz.txt", count: 2, ...beside },
    });
  });
});

test.skipIf(!hasStrace)("fails if the machine can open no more files, rather than skip one", async () => {
  const cwd = await tempDir({ "a.txt": "needle\n", "z.txt": "needle\n" });
  const fault = ["-P", "z.txt", "-P", join(cwd, "z.txt"), "-e", "inject=openat:error=EMFILE"];
  const { status, stderr } = spawnSync("strace", ["-f", "-qq", "-o", "/dev/null", ...fault, bin], {
    cwd,
    input: JSON.stringify({ pattern: "needle" }),
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([1, expect.stringContaining("EMFILE")]);
});

test.skipIf(!isLinux)("reports a path that is too long for the system", async () => {
  const cwd = await tempDir({ "a.txt": "needle\n" });
  const name = "d".repeat(250);
  // One level at a time: the whole path is too long for the system.
  const script = `for (let i = 0; i < 18; i++) { fs.mkdirSync("${name}"); process.chdir("${name}"); } fs.writeFileSync("deep.txt", "needle")`;
  execFileSync(process.execPath, ["-e", script], { cwd });
  const hint = expect.stringMatching(/^Not searched: 'd{40}…d{39}\/' \(the path is too long for the system; .*\)\.$/);
  expect((await call(bin, { pattern: "needle", glob: "**/*" }, { cwd })).result).toEqual({
    output: "a.txt:1: needle",
    count: 1,
    truncated: true,
    hint,
  });
  const { result } = await call(globBin, { pattern: "**/*.txt" }, { cwd });
  expect(result).toEqual({ output: "a.txt", count: 1, truncated: true, hint });
});

describe("shortly before the timeout", () => {
  const env = { IKIGAI_TIMEOUT_MS: "1500" };

  test("a search of a file larger than any disk answers with what it found", async () => {
    const cwd = await tempDir({ "a.txt": "needle\n", "big.img": "needle\n", "z.txt": "needle\n" });
    truncateSync(join(cwd, "big.img"), 4 * 1024 ** 4);
    const { result, timedOut } = await call(bin, { pattern: "needle" }, { cwd, env, timeoutMs: 9_000 });
    expect(timedOut).toBeUndefined();
    expect(result).toEqual({
      output: "a.txt:1: needle\nz.txt:1: needle\nbig.img:1: needle",
      count: 3,
      truncated: true,
      hint: "The time limit was reached before all files were searched: narrow path or glob.",
    });
  });

  test("searches the whole file without a timeout", async () => {
    const cwd = await tempDir({ "big.img": "needle\n", "z.txt": "needle\n" });
    truncateSync(join(cwd, "big.img"), 200 * 1024 ** 2);
    expect((await call(bin, { pattern: "needle" }, { cwd })).result).toEqual({
      output: "z.txt:1: needle\nbig.img:1: needle",
      count: 2,
    });
  });

  test("a search of many directories answers with what it found", async () => {
    const cwd = await tempDir({ "a/x.txt": "needle\n" });
    // Each `d/..` leads back: an endless tree for the pattern below.
    for (let index = 0; index < 30; index++) mkdirSync(join(cwd, `d${index}`));
    const path = `${"*/../".repeat(12)}`;
    for (const [tool, input] of [
      [bin, { pattern: "needle", glob: `${path}a/*.txt` }],
      [globBin, { pattern: `${path}a/*.txt` }],
    ] as const) {
      const { result, timedOut } = await call(tool, input, { cwd, env, timeoutMs: 9_000 });
      expect([timedOut, result]).toMatchObject([undefined, { truncated: true, hint: /^The time limit was reached/ }]);
      expect(dirname(tool)).toContain("tool");
    }
  });
});

test("counts matches after a cut part of a file, but shows none with a wrong number", () => {
  const part = (index: number, isCut: boolean, line: number) => ({
    index,
    file: "a",
    isBeginning: index === 0,
    isCut,
    matches: [{ line, content: "x" }],
    count: 1,
    newlines: 10,
  });
  const next = { ...part(3, false, 7), isBeginning: true };
  const parts = [
    [part(0, false, 1), part(2, false, 3)],
    [part(1, true, 2), next],
  ];
  const { files, count } = mergeFound(parts, false);
  expect(files.map(({ matches }) => matches.map(({ line }) => line))).toEqual([[1, 12], [7]]);
  expect(count).toBe(4);
});
