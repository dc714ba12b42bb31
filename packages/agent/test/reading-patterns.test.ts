import { spawnSync } from "node:child_process";
import { chmodSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { readingProblem } from "../src/permission/read-only/only-reads.ts";

const tree = realpathSync(
  await tempDir({
    "proj/a/a/link": { link: "../../.." },
    "proj/a/b": "",
    "proj/a/link": { link: "../../elsewhere" },
    "proj/a/in": { link: "../in" },
    "proj/in/a/b": "",
    "proj/in/home/config.json": "",
    "proj/closed/link": { link: "../../elsewhere" },
    "elsewhere/a/b": "",
  }),
);
const projectDir = join(tree, "proj");
const home = join(projectDir, "in/home");
const problem = (command: string) => readingProblem(command, { projectDir, home, path: "/usr/bin:/bin" });

/** The real paths of the words that a shell makes of a pattern, if they exist. `..` after a link is the parent of its target. */
function expansion(shell: string, pattern: string, cwd = projectDir): string[] {
  const script = `for word in ${pattern}; do [ -e "$word" ] && printf '%s\\n' "$word"; done`;
  const { stdout } = spawnSync(shell, ["-c", script], { cwd, encoding: "utf8" });
  return stdout.split("\n").flatMap((word) => (word === "" ? [] : [realpathSync.native(`${cwd}/${word}`)]));
}

const isIn = (path: string, directory: string) => path === directory || path.startsWith(`${directory}/`);

test("every path that a passed pattern expands to is inside the project and outside the user's directory", () => {
  const shells = ["sh", "bash"].filter((shell) => spawnSync(shell, ["-c", ":"]).status === 0);
  const segment = fc.constantFrom("*", "*", ".", "", "..", "a", "link", "in", "home", "?", "[ail]*", "l*", "b", ".?");
  const patterns = fc.array(segment, { minLength: 1, maxLength: 6 }).map((segments) => segments.join("/"));
  let expanded = 0;
  fc.assert(
    fc.property(patterns, (pattern) => {
      if (!/[*?[]/.test(pattern) || problem(`cat ${pattern}`) !== undefined) return;
      const paths = shells.flatMap((shell) => expansion(shell, pattern));
      if (paths.length > 0) expanded++;
      for (const path of paths) {
        expect([pattern, path, isIn(path, projectDir) && !isIn(path, home)]).toEqual([pattern, path, true]);
      }
    }),
    { numRuns: inject("isThorough") ? 20_000 : 400 },
  );
  expect(expanded).toBeGreaterThanOrEqual(10);
});

test.each(["*/./link/a/b", "*//link/a/b", "*/./././/link", "[a]/./link/*", "i*/./home/config.json", "a/i*/home/*"])(
  "%s may be outside",
  (pattern) => {
    expect(expansion("sh", pattern)).not.toEqual([]);
    expect(problem(`cat ${pattern}`)).toBeDefined();
    expect(problem(`cd a && cat ../${pattern}`)).toBeDefined();
  },
);

test("a program that reads what is below gets no pattern for what the user's directory is in", () => {
  expect(problem("grep -r x *")).toBeDefined();
  expect(problem("cat i*")).toBeUndefined();
});

test.skipIf(process.getuid?.() === 0)("a directory that cannot be read may have a link", () => {
  chmodSync(join(projectDir, "closed"), 0o100);
  expect(problem("cat c*/l*")).toBeDefined();
  expect(problem("cat c*/link")).toBeDefined();
  chmodSync(join(projectDir, "closed"), 0o700);
});
