import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { gitSpecs } from "../src/permission/read-only/git-specs.ts";
import { readingProblem } from "../src/permission/read-only/only-reads.ts";
import { specOptions } from "./spec-options.ts";

const runs = inject("isThorough") ? 20_000 : 500;

const secret = "SECRET-OF-ELSEWHERE";
const tree = await tempDir({
  "proj/f": "a\n",
  "proj/sub/g": "b\n",
  "elsewhere/key": `${secret}\n`,
  "elsewhere/b": "b\n",
});
const projectDir = join(tree, "proj");
const key = join(tree, "elsewhere/key");
// Otherwise git renews its index when it looks at files.
const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_OPTIONAL_LOCKS: "0" };

function git(...args: string[]) {
  const names = ["-c", "user.name=a", "-c", "user.email=a@b"];
  return spawnSync("git", [...names, ...args], { cwd: projectDir, env, encoding: "utf8", input: "", timeout: 10_000 });
}

git("init", "-q", "-b", "main");
git("add", "-A");
git("commit", "-qm", "first");
writeFileSync(join(projectDir, "f"), "stashed\n");
git("stash", "-q");
writeFileSync(join(projectDir, "f"), "changed\n");

/** Everything in the tree, with sizes and contents. */
function snapshot(): string {
  const names = readdirSync(tree, { recursive: true, encoding: "utf8" }).sort();
  return names
    .map((name) => {
      const path = join(tree, name);
      const stat = lstatSync(path);
      return `${name} ${stat.mode} ${stat.isFile() && !name.includes("objects/") ? readFileSync(path, "hex") : ""}`;
    })
    .join("\n");
}

/** What git may write with, or read from elsewhere, if it is no value. */
const reaching = [
  ...["--output=pwned", "--output=../elsewhere/pwned", "--outpu=pwned", "--output", "--output-indicator-new=pwned"],
  ...[`--contents=${key}`, `--ignore-revs-file=${key}`, `-O${key}`, "--no-index", "--ext-diff", "-D", "-f", "--"],
  ...[key, "../elsewhere/key", "../elsewhere/b"],
];
const plainWords = [
  ...["f", "sub", "HEAD", "main", "stash@{0}", "1", "x", "list", "show"],
  ...["-", "-1", "-p", "-s", "a", "^HEAD", "."],
];

const commands = fc.constantFrom(...Object.entries(gitSpecs)).chain(([name, spec]) => {
  const options = specOptions(spec);
  const those = (isValued: boolean) =>
    options.flatMap(([option, kind]) => ((kind !== "none") === isValued ? option : []));
  const [valued, plain] = [those(true), those(false)];
  const word = fc.constantFrom(...plainWords, ...reaching);
  const from = (all: string[]) => (all.length === 0 ? word : fc.constantFrom(...all));
  const attached = fc
    .tuple(from(valued), word)
    .map(([option, value]) => option + (option.startsWith("--") ? "=" : "") + value);
  const separate = fc.tuple(from(valued), fc.constantFrom(...reaching)).map((pair) => pair.join(" "));
  const piece = fc.oneof(word, from(plain), attached, { weight: 4, arbitrary: separate });
  const start = name === "stash" ? fc.constantFrom("list ", "show ", "") : fc.constant("");
  return fc
    .tuple(start, fc.array(piece, { minLength: 1, maxLength: 4 }))
    .map(([first, all]) => `${name} ${first}${all.join(" ")}`);
});

test("git changes and shows nothing from outside with a command that needs no question", { timeout: 600_000 }, () => {
  let before = snapshot();
  const scope = { projectDir, home: join(tree, "home"), path: process.env.PATH ?? "" };
  let ran = 0;
  fc.assert(
    fc.property(commands, (command) => {
      if (readingProblem(`git ${command}`, scope) !== undefined) return;
      ran++;
      const { stdout, stderr } = git(...command.split(" "));
      expect(`${stdout}${stderr}`, command).not.toContain(secret);
      const was = before;
      before = snapshot();
      expect(before, command).toBe(was);
    }),
    { numRuns: runs },
  );
  // Otherwise this would prove nothing.
  expect(ran).toBeGreaterThan(runs / 20);
});
