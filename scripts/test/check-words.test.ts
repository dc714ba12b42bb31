import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";

const script = resolve("check-words.mjs");
const phrases = readFileSync(resolve("words/phrases.txt"), "utf8");
const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

/** A repository with the list of phrases and these files. */
function repository(files: Record<string, string>) {
  const dir = mkdtempSync(join(tmpdir(), "words-"));
  dirs.push(dir);
  const all = { "scripts/words/phrases.txt": phrases, ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(join(dir, dirname(path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  execFileSync("git", ["init", "-q"], { cwd: dir });
  return dir;
}

function check(cwd: string, ...paths: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...paths], { cwd, encoding: "utf8" });
  return { status, stdout, stderr };
}

// Built from halves, so that this file is free of them.
const bad = (...halves: string[]) => halves.join("");

test.each([
  [
    "a phrase, with its line and the advice",
    bad("One.\nIt is quick all the ", "same.\n"),
    /^a\.md:2: "all the same": write still/,
  ],
  ["a phrase in capitals", bad("Some", "body asks.\n"), new RegExp(bad("Some", "body"))],
  [
    "a phrase across two lines of a comment",
    bad("/**\n * Done once\n * and for a", "ll.\n */\n"),
    /^a\.md:2: "once \* and for a(ll)"/,
  ],
])("finds %s", (_, text, expected) => {
  const { status, stdout } = check(repository({ "a.md": text }), "a.md");
  expect(stdout).toMatch(expected);
  expect(status).toBe(1);
});

test.each([
  "A standalone program stands for itself, and stands in for a server.",
  "The files are all the same size. None of them is empty. Fix the task at hand for good reason.",
  "The recommended amendment has been summed. The process runs as nobody. It continues. They tell users apart.",
  'The model is told to stop. const nobody = { uid: 65534 }; setuid("nobody");',
])("accepts plain English: %s", (text) => {
  expect(check(repository({ "a.md": text }), "a.md")).toEqual({ status: 0, stdout: "", stderr: "" });
});

test("checks all files when no path is given", () => {
  const dir = repository({ "clean.md": "Plain.\n", "docs/other.md": bad("for ev", "er\n") });
  expect(check(dir).stdout).toMatch(/^docs\/other\.md:1: /);
  expect(check(dir, "clean.md").status).toBe(0);
});

test("skips its own list, licenses and binary files", () => {
  const text = bad("for ev", "er\n");
  const files = { "apps/LICENSE": text, "a.bin": `\0${text}` };
  expect(check(repository(files), ".")).toMatchObject({ status: 0, stdout: "" });
});

test("fails with 2 when a path does not exist", () => {
  expect(check(repository({}), "missing.md")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("missing.md"),
  });
});
