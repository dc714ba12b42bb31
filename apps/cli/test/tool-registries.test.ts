// @module-tag sampled
// What a team serves under one name: a git repository or a folder with several packages, or a scope of npm's registry.
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { startRegistry } from "./npm-registry.ts";
import { readRecord, world } from "./tool-world.ts";

const plain = (text: string) => ({ content: `#!/bin/sh\n# @describe Count ${text}\necho ${text}\n`, mode: 0o755 });

const team = {
  "team/README.md": "The tools of the team.\n",
  "team/words/words-tool": plain("words"),
  "team/packages/lines/package.json":
    '{"name":"@acme/lines","version":"2.0.0","description":"Counts lines","ikigai":{"check":{"ok":true}}}',
  "team/packages/lines/tools/lines-tool": plain("lines"),
  "team/packages/lines/skills/long/SKILL.md": "---\nname: long\ndescription: Long lines\n---\nCut them.\n",
};

/** A user whose registry `team` is this; `ROOT` stands for the directory that has the folder `team`. */
async function user(source = "ROOT/team", files: Parameters<typeof world>[0] = {}) {
  const made = await world({ ...team, ...files });
  const { root, cwd, env } = made;
  const set = (place: string) => {
    mkdirSync(join(root, "home/.ikigai"), { recursive: true });
    const registries = { team: place.replaceAll("ROOT", root) };
    writeFileSync(join(root, "home/.ikigai/config.json"), JSON.stringify({ registries }));
  };
  set(source);
  const git = (...args: string[]) => {
    const own = ["-C", join(root, "team"), "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
    return execFileSync("git", [...own, ...args], { encoding: "utf8" }).trim();
  };
  const commit = () => {
    git("init", "--quiet");
    git("add", "--all");
    git("commit", "--quiet", "-m", "Change");
    return git("rev-parse", "HEAD");
  };
  const output = async (name: string) =>
    JSON.parse((await ikigai(["tool", "call", name], { cwd, env })).stdout).result?.output;
  return { ...made, set, git, commit, output };
}

test("adds, updates and removes one package of a git repository", async () => {
  const { root, home, run, commit, output } = await user("file://ROOT/team");
  const first = commit();
  const { exitCode, stdout } = await run("add", "team:words", "--yes");
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`  from    commit ${first}\n`)]);
  expect(stdout).toContain("\n  1 file\n    words-tool\n");
  expect(readRecord(home)).toMatchObject({ words: { source: "team:words", commit: first } });
  expect(await output("words")).toBe("words");
  expect((await run("list")).stdout).toContain(`words ${first.slice(0, 12)} from team:words`);

  writeFileSync(join(root, "team/README.md"), "Changed.\n");
  commit();
  expect((await run("update", "--yes")).stdout).toContain(`words ${first.slice(0, 12)} is up to date.`);
  writeFileSync(join(root, "team/words/words-tool"), plain("more words").content);
  const second = commit();
  expect((await run("update", "words", "--yes")).stdout).toContain("+ echo more words");
  expect([await output("words"), readRecord(home).words.commit]).toEqual(["more words", second]);

  writeFileSync(join(root, "team/words/words-tool"), plain("other words").content);
  commit();
  writeFileSync(join(home, "packages", readRecord(home).words.directory, "words-tool"), "#!/bin/sh\n");
  expect((await run("update", "words", "--yes")).stdout).toContain(`Restored words ${second.slice(0, 12)}: words\n`);
  expect(await output("words")).toBe("more words");
  expect((await run("remove", "team:words")).stdout).toBe(`Removed words ${second.slice(0, 12)}: words\n`);
});

test("a tag or a commit follows #", async () => {
  const { root, run, git, commit, output } = await user("file://ROOT/team#main");
  commit();
  git("branch", "-M", "main");
  git("tag", "v1");
  writeFileSync(join(root, "team/words/words-tool"), plain("more words").content);
  commit();
  await run("add", "team:words#v1", "--yes");
  expect(await output("words")).toBe("words");
  expect((await run("update", "--yes")).stdout).toContain("with v1, which it was added with.");
  await run("add", "team:words", "--yes");
  expect(await output("words")).toBe("more words");
});

test("adds packages of a folder, at its top and in packages/, and finds them again after the folder has moved", async () => {
  const { root, home, run, set, output } = await user();
  const { stdout } = await run("add", "team:lines", "--yes");
  expect(stdout).toContain("  passes tool check, its author says\n");
  expect(stdout).toContain("Added @acme/lines 2.0.0: lines, skill long\n");
  expect((await run("add", "team:words", "--yes")).exitCode).toBe(0);
  expect(readRecord(home)).toMatchObject({ "@acme/lines": { source: "team:lines" }, words: { source: "team:words" } });
  renameSync(join(root, "team"), join(root, "new"));
  expect((await run("update")).stderr).toContain(
    `The folder ${join(root, "team")} of the registry team does not exist. To change it: ikigai config set registries.team SOURCE`,
  );
  set("~/../new");
  expect((await run("update")).stdout).toMatch(/^@acme\/lines 2\.0\.0 is up to date\.\nwords is up to date\.\n$/);
  expect(await output("lines")).toBe("lines");
});

test("adds packages of a scope of npm's registry", async () => {
  const bin = { "words-tool": "./words-tool" };
  const { url } = await startRegistry({ "@acme/words": { bin } }, { "words-tool": plain("words").content });
  const { home, run, output } = await user("npm:@acme/", { "home/.npmrc": `registry=${url}/\n` });
  expect((await run("add", "team:words@1.0.0", "--yes")).stdout).toContain("Added @acme/words 1.0.0: words\n");
  expect(await output("words")).toBe("words");
  expect(readRecord(home)["@acme/words"]).toMatchObject({ source: "team:words@1.0.0" });
  expect((await run("update")).stdout).toContain("@acme/words 1.0.0 is up to date");
  expect((await run("remove", "words")).exitCode).toBe(0);
});

test("says what to do if there is no such registry or package", async () => {
  const { run, set } = await user();
  for (const [source, said] of [
    ["team:word", 'The registry team has no package "word". Did you mean team:words?'],
    ["team:statistics", 'The registry team has no package "statistics". It has words, lines.'],
    ["team:words#v1", "The registry team is a folder, which has one version. Try: ikigai tool add team:words"],
    [
      "other:words",
      "No registry other is set. Those that are: team. To set it to a git repository, a folder or npm:@SCOPE/: ikigai config set registries.other SOURCE",
    ],
  ] as const)
    expect(await run("add", source)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(said) });
  for (const wrong of ["./team", "acme/team", "team"]) {
    set(wrong);
    expect((await run("add", "team:words")).stderr).toContain(
      `an absolute path of a folder, or npm:@SCOPE/ for the registry team, got "${wrong}". To change it`,
    );
  }
});

test("a link in a registry leads to no folder outside of it", async () => {
  const { root, run, commit, set } = await user("ROOT/team", { "secret/x-tool": plain("secrets") });
  symlinkSync("../secret", join(root, "team/x"));
  expect((await run("add", "team:x", "--yes")).stderr).toContain('has no package "x"');
  commit();
  set("file://ROOT/team");
  symlinkSync("../../secret", join(root, "team/packages/x"));
  commit();
  expect((await run("add", "team:x", "--yes")).stderr).toContain('has no package "x"');
});

test.each(["github", "npm", "https", "mcp", "Team", "a:b"])("a registry cannot be called %s", async (name) => {
  const { cwd, env } = await world({
    "home/.ikigai/config.json": JSON.stringify({ registries: { [name]: "github:acme/tools" } }),
  });
  const { stdout } = await ikigai(["doctor"], { cwd, env });
  expect(stdout).toContain(`"registries.${name}" is not a valid name: use small letters, digits and -`);
});

test("search finds packages of registries, and says which could not be asked", async () => {
  const { root, run, set, commit } = await user("ROOT/team", { "home/.npmrc": "registry=http://127.0.0.1:9/\n" });
  const { exitCode, stdout, stderr } = await run("search", "COUNT");
  expect([exitCode, stdout]).toEqual([
    0,
    `team:words
  Count words
team:lines 2.0.0  passes tool check, its author says
  Counts lines

To see what one has, and add it: ikigai tool add team:words
`,
  ]);
  expect(stderr).toMatch(/^Cannot search http:\/\/127\.0\.0\.1:9\//);
  expect((await run("search", "statistics")).stderr).toContain('No tool in team matches "statistics".');
  commit();
  set("file://ROOT/team");
  expect(JSON.parse((await run("search", "team:lines", "--json")).stdout)).toMatchObject([
    { name: "team:lines", version: "2.0.0", weekly_downloads: null, passes_check: true },
  ]);
  rmSync(join(root, "team"), { recursive: true });
  const gone = await run("search", "words");
  expect([gone.exitCode, gone.stderr]).toEqual([1, expect.stringContaining("git could not fetch file://")]);
});
