// Promise 6 of SECURITY.md.
// @module-tag sampled
import { linkSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { glob } from "@ikigai/posix/glob";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { decide, type Permission, type Verdict } from "../src/index.ts";
import { searchesInside } from "../src/targets/paths.ts";
import { registeredTool } from "./registered-tool.ts";

function verdictIn(root: string, name: string, args: object, home = join(root, "home")): Verdict {
  const call = { id: "c", name, arguments: JSON.stringify(args) };
  const permission: Permission = { mode: "ask", rules: [], projectDir: join(root, "proj"), home };
  return decide(call, registeredTool(name, "system"), permission).verdict;
}

describe("checks a search of a repository with 60,000 files", () => {
  let root = "";

  beforeAll(async () => {
    root = await tempDir({
      "secret.txt": "",
      "proj/zz/link.txt": { link: "../../secret.txt" },
      "proj/in/README.md": "",
    });
    for (let directory = 0; directory < 60; directory++) {
      mkdirSync(join(root, `proj/pkg/${directory}`), { recursive: true });
      const [first, ...more] = Array.from({ length: 1_000 }, (_, file) =>
        join(root, `proj/pkg/${directory}/${file}.txt`),
      );
      writeFileSync(String(first), "");
      // Hard links take a fraction of the time of new files.
      for (const path of more) linkSync(String(first), path);
    }
  }, 60_000);

  test.each([
    ["grep", { pattern: "x", glob: "**/*.txt" }, "ask"],
    ["grep", { pattern: "x", glob: "*/*.txt" }, "ask"],
    ["grep", { pattern: "x", glob: "pkg/**/*.txt" }, "allow"],
    ["grep", { pattern: "x", glob: "**/*.md" }, "allow"],
    ["glob", { pattern: "**/*.txt" }, "allow"],
  ])("%s %j: %s", (name, args, expected) => {
    expect(verdictIn(root, name, args)).toBe(expected);
  });
});

describe("a limit leads to a question when it is reached", () => {
  const bounds = (root: string) => ({ projects: [join(root, "proj")], except: [] });
  const call = { pattern: "x", glob: "**/*.txt" };
  const access = { kind: "search-files", path: "path", pattern: "glob" } as const;

  test.each([
    [12, true],
    [11, false],
  ])("entries: 12 of %d: %s", async (maxEntries, expected) => {
    const files = Array.from({ length: 10 }, (_, index): [string, string] => [`proj/d/${index}.txt`, ""]);
    const root = realpathSync(await tempDir(Object.fromEntries([...files, ["proj/z.txt", ""]])));
    const limits = { maxEntries, maxMs: Number.POSITIVE_INFINITY };
    expect(searchesInside(access, call, join(root, "proj"), bounds(root), limits)).toBe(expected);
  });

  test.each([
    [60_000, true],
    [-1, false],
  ])("time: %d ms: %s", async (maxMs, expected) => {
    const root = realpathSync(await tempDir({ "proj/z.txt": "" }));
    const limits = { maxEntries: 1_000, maxMs };
    expect(searchesInside(access, call, join(root, "proj"), bounds(root), limits)).toBe(expected);
  });

  test.each([
    [9, "allow"],
    [10, "ask"],
  ])("braces: %d pairs: %s", async (pairs, expected) => {
    const root = await tempDir({ "proj/a.txt": "" });
    expect(verdictIn(root, "grep", { pattern: "x", glob: "{a,b}".repeat(pairs) })).toBe(expected);
  });

  test.skipIf(process.platform !== "linux").each([
    [13, "allow"],
    [16, "ask"],
  ])("path length: %d directories of 250 bytes: %s", async (depth, expected) => {
    const root = await tempDir({ "proj/": "" });
    // One level at a time: the whole path is too long for the system.
    const before = process.cwd();
    process.chdir(join(root, "proj"));
    for (let level = 0; level < depth; level++) {
      mkdirSync("d".repeat(250));
      process.chdir("d".repeat(250));
    }
    process.chdir(before);
    expect(verdictIn(root, "grep", { pattern: "x", glob: "**/*" })).toBe(expected);
  });
});

describe("braces hide nothing", () => {
  test.each([
    ["{..,x}/*.txt", "ask"],
    ["sub/{..,x}/../../*", "ask"],
    ["*/.{.,x}/../*", "ask"],
    ["{/etc,x}/passwd", "ask"],
    ["{,/etc}/passwd", "ask"],
    ["{out,sub}/*", "ask"],
    ["{*,x}/*.txt", "ask"],
    ["{sub,src}/*.{ts,txt}", "allow"],
    ["**/*.{ts,tsx}", "allow"],
    ["\\{..,x}/*", "allow"],
  ])("%s: %s", async (pattern, expected) => {
    const root = await tempDir({
      "proj/sub/a.txt": "",
      "proj/out": { link: "../elsewhere" },
      "elsewhere/a.txt": "",
    });
    expect(verdictIn(root, "grep", { pattern: "x", glob: pattern })).toBe(expected);
    expect(verdictIn(root, "glob", { pattern })).toBe(expected);
  });

  test("in path", async () => {
    const root = await tempDir({ "proj/a": "", "out/a": "" });
    expect(verdictIn(root, "grep", { pattern: "x", path: "{../out,x}" })).toBe("ask");
    expect(verdictIn(root, "grep", { pattern: "x", path: "{a,b}" })).toBe("allow");
  });
});

test("finds a symlink inside the project that leads to one that leads out", async () => {
  const root = await tempDir({
    "proj/deep/x/y/out": { link: "../../../../elsewhere" },
    "proj/near": { link: "deep/x/y" },
    "elsewhere/key": "",
  });
  expect(verdictIn(root, "grep", { pattern: "x", glob: "near/*/*" })).toBe("ask");
  expect(verdictIn(root, "grep", { pattern: "x", glob: "*/*/key" })).toBe("ask");
  expect(verdictIn(root, "grep", { pattern: "x", glob: "deep/*/*" })).toBe("allow");
});

test("looks below for a glob of names, but not at what is left out there unless it is named", async () => {
  const root = await tempDir({
    "proj/.gitignore": "out\n",
    "proj/.git/HEAD": "ref: refs/heads/main\n",
    "proj/out/link": { link: "../../elsewhere" },
    "proj/src/a.ts": "",
    elsewhere: "",
  });
  const verdict = (args: object) => verdictIn(root, "grep", { pattern: "x", ...args });
  for (const args of [{}, { glob: "*.ts" }, { glob: "**/*" }, { path: "src" }])
    expect([args, verdict(args)]).toEqual([args, "allow"]);
  for (const args of [{ path: "out" }, { glob: "out/**" }, { glob: "**/out/*" }, { glob: "*/*" }])
    expect([args, verdict(args)]).toEqual([args, "ask"]);
  symlinkSync("../../elsewhere", join(root, "proj/src/link"));
  for (const args of [{}, { glob: "link" }, { glob: "**/*" }]) expect([args, verdict(args)]).toEqual([args, "ask"]);
  expect(verdict({ glob: "*.ts" })).toBe("allow");
});

test("asks about the user's directory inside the project, however it is reached", async () => {
  const root = await tempDir({
    "proj/.ikigai/config.json": "{}",
    "proj/a/b.json": "{}",
    "proj/l": { link: ".ikigai" },
  });
  const home = join(root, "proj/.ikigai");
  for (const glob of [".ikigai/*", ".i*/*", ".ikigai/config.json", "*/config.json", "{a,.ikigai}/*", "**/*.json", ""])
    expect([glob, verdictIn(root, "grep", { pattern: "x", glob }, home)]).toEqual([glob, "ask"]);
  expect(verdictIn(root, "grep", { pattern: "x", glob: "a/**/*.json" }, home)).toBe("allow");
});

const name = fc.constantFrom("a", "b", "c.ts", ".h");
const place = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const step = fc.constantFrom(
  "a",
  "b",
  "*",
  "*",
  "**",
  "*.ts",
  ".*",
  "..",
  ".",
  "?",
  "[ab]",
  "{a,b}",
  "{..,b}",
  "\\.\\.",
  "{a,",
  "}",
);
const pattern = fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) => steps.join("/"));
const target = fc.constantFrom(
  "..",
  "../..",
  "../../out",
  "../out",
  "a",
  "b",
  "../a",
  ".",
  "../b/c.ts",
  "../../out/c.ts",
);
const entries = fc.array(fc.record({ at: place, target: fc.option(target, { nil: undefined }) }), { maxLength: 8 });

test("reads and lists nothing outside the project without a question", async () => {
  // So deep that no `..` of a pattern or a link reaches the machine's own files, which come and go.
  const deep = "1/2/3/4/5/6/7/8/9/10/11/12";
  const root = join(realpathSync(await tempDir({ [`${deep}/proj/`]: "" })), deep);
  const project = join(root, "proj");
  const tally = { allow: 0, ask: 0 };
  const property = fc.property(entries, fc.option(place, { nil: "" }), pattern, (all, path, wanted) => {
    for (const directory of ["proj", "out"]) {
      rmSync(join(root, directory), { recursive: true, force: true });
      mkdirSync(join(root, directory, "a"), { recursive: true });
      writeFileSync(join(root, directory, "c.ts"), "");
    }
    for (const each of all) plant(join(project, each.at), each.target);
    const options = { cwd: project, ...(path !== "" && { base: path }) };
    const read = [...glob(wanted, { ...options, filesOnly: true })].map((each) => realOf(project, String(each)));
    const listed = [...glob(wanted, options)].map((each) => realOf(project, dirname(String(each))));
    const verdict = verdictIn(root, "grep", { pattern: "x", path, glob: wanted });
    if (verdict === "allow") expect(read.filter((each) => !isInProject(each, project))).toEqual([]);
    if (verdictIn(root, "glob", { pattern: wanted, path }) === "allow")
      expect(listed.filter((each) => !isInProject(each, project))).toEqual([]);
    tally[verdict === "allow" ? "allow" : "ask"]++;
  });
  fc.assert(property, { numRuns: Number(process.env.SEARCH_SCOPE_RUNS ?? 400) });
  expect([tally.allow > 50, tally.ask > 50]).toEqual([true, true]);
});

function plant(path: string, to: string | undefined): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    if (!realpathSync(dirname(path)).includes("/proj")) return;
    if (to === undefined) writeFileSync(path, "", { flag: "wx" });
    else symlinkSync(to, path);
  } catch {
    // The path exists, or a file is in the way.
  }
}

function realOf(cwd: string, path: string): string {
  const absolute = path.startsWith("/") ? path : `${cwd}/${path}`;
  try {
    return realpathSync.native(absolute);
  } catch (error) {
    // A pattern such as `{a,/**}` lists /proc, whose files go when their process ends.
    if (isInProject(absolute, cwd)) throw error;
    return absolute;
  }
}

function isInProject(real: string, project: string): boolean {
  return real === project || real.startsWith(`${project}/`);
}
