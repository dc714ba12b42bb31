// Promise 4 of SECURITY.md.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, inject, test } from "vitest";
import { type Ignores, ignoresIn } from "../src/ignore.ts";

const isThorough = inject("isThorough");

/** Trees in one test, each with a repository and files of rules. */
const treesEach = 50;
const tests = isThorough ? 200 : 2;

test.each(Array.from({ length: tests }, (_, index) => index))(
  "ignores what git ignores in random trees, group %i",
  { timeout: 120_000 },
  async (group) => {
    for (let tree = 0; tree < treesEach; tree++) await compareTree(group * treesEach + tree);
  },
);

async function compareTree(seed: number): Promise<void> {
  const pick = picker(seed);
  const home = await tempDir();
  const root = join(home, "r");
  const env = { HOME: home, PATH: process.env.PATH, LC_ALL: "C", GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, env, encoding: "latin1", stdio: "pipe" });
  mkdirSync(root);
  git("init", "-q", "--template=");
  mkdirSync(join(root, ".git/info"), { recursive: true });
  grow(root, 0, pick);
  if (pick(3) === 0) writeFileSync(join(root, ".git/info/exclude"), rules(pick));
  if (pick(4) === 0) {
    writeFileSync(join(home, "own ignores"), rules(pick));
    writeFileSync(
      join(home, ".gitconfig"),
      '[user]\n\tname = x\n[core] ; own\n\texcludesFile = "~/own ignores" # mine\n',
    );
  } else if (pick(3) === 0) {
    mkdirSync(join(home, ".config/git"), { recursive: true });
    writeFileSync(join(home, ".config/git/ignore"), rules(pick));
  }
  if (pick(6) === 0) git("config", "core.ignoreCase", "true");
  const all = filesBelow(root, "", undefined);
  for (let left = pick(4); left > 0 && all.length > 0; left--) {
    git("add", "-f", "--", pathOf(":(literal)", all[pick(all.length)] ?? "").replace("/", ""));
    if (pick(4) === 0) git("update-index", "--index-version", "4");
    if (pick(6) === 0) git("update-index", "--split-index");
  }
  const tracked = new Set(git("ls-files", "-z").split("\0"));
  const folded = new Set(Array.from(tracked, (path) => path.toLowerCase()));
  // With core.ignoreCase it takes `A` for the tracked `a`; where that is set, there are no two such files.
  const isTwin = (path: string) => !tracked.has(path) && folded.has(path.toLowerCase());
  const isUsual = (path: string) => /(?:^|\/)(?:\.hg|\.svn|node_modules)\//.test(path) && !tracked.has(path);
  const listed = git("ls-files", "-z", "-co", "--exclude-standard").split("\0").slice(0, -1);
  const wanted = [...new Set(listed)].filter((path) => !isUsual(path) && !isTwin(path) && all.includes(path)).sort();
  const got = filesBelow(root, "", ignoresIn(root, env)).filter((path) => !isUsual(path) && !isTwin(path));
  expect(got, `tree ${seed} in ${root}`).toEqual(wanted);
  rmSync(home, { recursive: true });
}

/** A path whose names are bytes, one in each unit. */
function pathOf(root: string, bytes: string): string {
  return join(root, Buffer.from(bytes, "latin1").toString());
}

/** The files below a directory, sorted by bytes; symlinks are files. */
function filesBelow(root: string, prefix: string, ignores: Ignores | undefined): string[] {
  const found = readdirSync(pathOf(root, prefix), { withFileTypes: true, encoding: "latin1" }).flatMap((entry) => {
    const { name } = entry;
    if (name === ".git" || ignores?.ignores(name, entry.isDirectory())) return [];
    if (!entry.isDirectory()) return [prefix + name];
    const names = new Set(readdirSync(pathOf(root, prefix + name)));
    return filesBelow(root, `${prefix}${name}/`, ignores?.below(name, names));
  });
  return found.sort();
}

const names = [
  "a",
  "b",
  "ab",
  "abc",
  "A",
  ".x",
  "a b",
  "x.o",
  "b.o",
  "b.c",
  "[a]",
  "a-b",
  "#a",
  "!a",
  "a\\b",
  "é",
  "node_modules",
];
const pieces = [
  ...[
    "*",
    "**",
    "?",
    "/",
    "/",
    "/",
    "a",
    "b",
    "ab",
    "x",
    ".o",
    ".",
    "[ab]",
    "[!a]",
    "[^b-]",
    "[a-c]",
    "[[:alpha:]]",
    "[]",
    "[",
  ],
  ...[
    "\\",
    " ",
    "\\ ",
    "!",
    "#",
    "-",
    "*.o",
    "a/",
    "/**/",
    "**/",
    "/**",
    "**a",
    "a**",
    "[[:x:]]",
    "[\\]a]",
    "[]a]",
    "[a",
    "\r",
    "é",
    "B",
  ],
];

function rule(pick: Pick): string {
  const known = () => names[pick(names.length)] ?? "";
  const kinds: readonly (() => string)[] = [
    known,
    () => `${known()}/`,
    () => `/${known()}`,
    () => `!${known()}`,
    () => `${known()}/${known()}`,
    () => `**/${known()}`,
    () => `${known()}/**`,
    () => "*",
    () => `!${known()}/`,
  ];
  if (pick(2) === 0) return kinds[pick(kinds.length)]?.() ?? "";
  return Array.from({ length: 1 + pick(5) }, () => pieces[pick(pieces.length)]).join("");
}

function rules(pick: Pick): string {
  const lines = Array.from({ length: 1 + pick(5) }, () => rule(pick)).join(pick(8) === 0 ? "\r\n" : "\n");
  return `${pick(10) === 0 ? "\ufeff" : ""}${lines}${pick(4) === 0 ? "" : "\n"}`;
}

/** Makes files, directories, symlinks and `.gitignore` files in a directory. */
function grow(directory: string, depth: number, pick: Pick): void {
  for (let left = 2 + pick(5); left > 0; left--) {
    const path = join(directory, names[pick(names.length)] ?? "");
    try {
      if (pick(3) === 0 && depth < 3) {
        mkdirSync(path);
        grow(path, depth + 1, pick);
      } else if (pick(10) === 0) symlinkSync("..", path);
      else writeFileSync(path, "", { flag: "wx" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" && (error as NodeJS.ErrnoException).code !== "EISDIR")
        throw error;
    }
  }
  if (pick(depth === 0 ? 2 : 4) === 0) writeFileSync(join(directory, ".gitignore"), rules(pick));
}

type Pick = (below: number) => number;

/** Random numbers that a seed repeats. */
function picker(seed: number): Pick {
  let state = (seed + 1) * 0x9e37_79b9;
  return (below) => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d);
    state = Math.imul(state ^ (state >>> 12), 0x297a_2d39) + 0x6d2b_79f5;
    return ((state ^ (state >>> 15)) >>> 0) % below;
  };
}
