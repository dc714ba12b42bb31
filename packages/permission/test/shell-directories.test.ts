import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import type { Permission } from "../src/index.ts";
import { withDirectories } from "../src/shell/reading.ts";
import { readShell } from "../src/shell/shell.ts";
import { rules, verdictOn } from "./decide-call.ts";

const tree = await tempDir({
  "proj/src/deep/a.ts": "",
  "proj/in": { link: "src/deep" },
  "proj/out": { link: "../elsewhere" },
  "elsewhere/key": "",
});
const projectDir = join(tree, "proj");

/** The directory of the last command, relative to the tree's root. */
function lastPlace(command: string, cdPath = ""): string | undefined {
  const directory = withDirectories(readShell(command) ?? [], projectDir, cdPath).at(-1)?.directory;
  return directory === undefined ? undefined : directory.slice(tree.length + 1);
}

test.each([
  ["a", "proj"],
  ["a; b | c && d & e", "proj"],
  ["cd src && a", "proj/src"],
  ["cd src; a", "proj/src"],
  ["cd src\na | b || c", "proj/src"],
  ["cd 'src' 2>/dev/null && a", "proj/src"],
  ["cd src && cd deep && a", "proj/src/deep"],
  ["cd src && cd .. && a", "proj"],
  ["cd src/deep/../.. && a", "proj"],
  ["cd in && a", "proj/src/deep"],
  ["cd out && a", "elsewhere"],
  [`cd ${tree}/elsewhere && a`, "elsewhere"],
  [`cd ${tree}/elsewhere/../proj && a`, "proj"],
])("finds where the last command of %j runs: %s", (command, expected) => {
  expect(lastPlace(command)).toBe(expected);
});

test.each([
  "cd && a",
  "cd - && a",
  "cd -P src && a",
  "cd ~ && a",
  "cd s* && a",
  "cd src deep && a",
  "cd '' && a",
  "cd none && a",
  "cd src/deep/a.ts; a",
  "cd src || a",
  "cd src | a; b",
  "a | cd src; b",
  "cd src & a",
  "cd src &>/dev/null && a",
  "cd src && a & b",
  "a; cd src; b",
  // Shells go to the parent of the symlink, the system to the parent of its target.
  "cd in/.. && a",
  "cd in && cd .. && a",
  "cd .. && a",
  "cd src && cd ../.. && a",
  "pushd src && a",
  "chdir src && a",
  "command cd src && a",
  ". ./x && a",
])("does not know where the last command of %j runs", (command) => {
  expect(lastPlace(command)).toBeUndefined();
});

test("treats relative directories as uncertain with a search path for cd", () => {
  expect(lastPlace("cd src && a", "/elsewhere")).toBeUndefined();
  expect(lastPlace("cd ./src && a", "/elsewhere")).toBe("proj/src");
});

describe("judges calls from the directory of /cd", async () => {
  const root = await tempDir({
    "proj/a.ts": "",
    "proj/src/deep/b.ts": "",
    "proj/src/out": { link: "../../elsewhere" },
    "elsewhere/key": "",
  });
  const at = (cwd: string | undefined, given: Partial<Permission> = {}) => ({
    ...{ mode: "edits" as const, projectDir: join(root, "proj"), home: join(root, "home"), readOnlyCommands: true },
    ...(cwd !== undefined && { cwd: join(root, "proj", cwd) }),
    ...given,
  });

  test.each([
    ["file_read", { file_path: "../a.ts" }, "allow"],
    ["file_read", { file_path: "../../elsewhere/key" }, "ask"],
    ["file_read", { file_path: "out/key" }, "ask"],
    ["file_edit", { file_path: "../a.ts" }, "allow"],
    ["file_edit", { file_path: "../../elsewhere/key" }, "ask"],
    ["grep", { pattern: "x", path: ".." }, "allow"],
    ["grep", { pattern: "x", path: "../.." }, "ask"],
    ["glob", { pattern: "*" }, "allow"],
    ["bash", { command: "cat ../a.ts deep/b.ts" }, "allow"],
    ["bash", { command: "cat ../../elsewhere/key" }, "ask"],
    ["bash", { command: "cat out/key" }, "ask"],
    ["bash", { command: "rm a.ts" }, "ask"],
  ])("%s %j: %s", (name, args, expected) => {
    expect(verdictOn(name, args, at("src"))).toBe(expected);
  });

  test("other verdicts are those of the project", () => {
    expect(verdictOn("file_read", { file_path: "../a.ts" }, at(undefined))).toBe("ask");
    expect(verdictOn("bash", { command: "cat out/key" }, at(undefined))).toBe("allow");
  });

  test.each([
    ["file_read", { file_path: "deep/b.ts" }],
    ["grep", { pattern: "x", path: "deep" }],
    ["glob", { pattern: "deep/*", path: "." }],
  ])("a rule about a place holds for it: %s %j", (name, args) => {
    const rule = rules(["deny", "path(src/deep)"]);
    expect(verdictOn(name, args, at("src", rule))).toBe(name === "glob" ? "ask" : "deny");
    expect(verdictOn(name, args, at("src/deep", rule))).not.toBe("allow");
    expect(verdictOn(name, args, at(undefined, rule))).toBe(name === "glob" ? "ask" : "allow");
  });

  test("a rule about a program of the project is not about one of the same name elsewhere", () => {
    const rule = rules(["allow", "bash(./run)"], ["allow", "bash(make)"]);
    const verdicts = ["./run", "make"].map((command) => verdictOn("bash", { command }, at("src", rule)));
    expect(verdicts).toEqual(["ask", "allow"]);
    expect(verdictOn("bash", { command: "./run" }, at(undefined, rule))).toBe("allow");
  });
});
