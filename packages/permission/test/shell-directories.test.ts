import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { withDirectories } from "../src/shell/reading.ts";
import { readShell } from "../src/shell/shell.ts";

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
