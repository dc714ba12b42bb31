// Promise 4 of SECURITY.md.
// @module-tag sampled

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findProgram, utf8Text } from "@ikigai/system";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { applyUndo, maxFileBytes, openUndo, planUndo, type Undo } from "../src/index.ts";
import { stateOf } from "./state-of.ts";

const git = findProgram("git", process.env.PATH, "/nonexistent") ?? "";
const note = { turn: 1, kind: "before", text: "a message" } as const;
const undoNote = { turn: 1, kind: "undo", text: "" } as const;

interface World {
  readonly project: string;
  readonly undo: Undo;
  /** Opens the same session as another process would. */
  readonly again: (options?: { readonly maxFiles?: number }) => Promise<Undo>;
  readonly sh: (command: string) => string;
  readonly state: () => Record<string, string>;
}

/** A project made by a shell command, and its undo. */
async function world(setUp: string): Promise<World> {
  const base = await tempDir();
  const project = join(base, "project");
  mkdirSync(project);
  const env = { ...process.env, HOME: base, GIT_CONFIG_GLOBAL: "/dev/null" };
  const sh = (command: string) =>
    execFileSync("bash", ["-ec", command], { cwd: project, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  sh(setUp);
  const place = { projectDir: project, store: join(base, "store/undo.git"), git, session: "s1" };
  const again: World["again"] = (options) => openUndo({ ...place, ...options });
  return { project, undo: await again(), again, sh, state: () => stateOf(project) };
}

async function goBack({ undo }: World, to: string): Promise<void> {
  const now = await undo.take({ ...note, kind: "after" });
  await undo.restore(to, await undo.changes(now.id, to), undoNote);
}

const repository = `git init -q; git config user.email a@b; git config user.name a
  mkdir -p src/deep; printf 'a\\r\\nb\\n' > src/a.txt; printf x > src/deep/run.sh; chmod 755 src/deep/run.sh
  printf secret > .env; chmod 600 .env; ln -s src/a.txt link; printf '*.log\\ndist/\\n' > .gitignore
  printf '* text=auto eol=lf\\n' > .gitattributes; printf '\\377\\000raw' > bin.dat
  git add -A; git commit -qm one; printf two >> src/a.txt; printf new > untracked.txt`;

test("later snapshots, which list new files only where something has changed, have all of them", async () => {
  const { undo, sh } = await world(
    `${repository}; mkdir -p empty/deep dist; echo > dist/a; echo > x.tmp; echo x.tmp > .git/info/exclude`,
  );
  const after = { ...note, kind: "after" } as const;
  let { id } = await undo.take(note);
  for (const [command, file] of [
    ["echo > empty/deep/b", "empty/deep/b"],
    ["echo '*.log' > .gitignore", "dist/a"],
    ["echo > .git/info/exclude", "x.tmp"],
  ] as const) {
    await undo.take(after);
    // Until then, git looks at what has just changed.
    await sleep(30);
    expect((await undo.take(after)).id).toBe(id);
    sh(command);
    const taken = await undo.take(after);
    expect(await undo.names(taken.id)).toContain(file);
    id = taken.id;
  }
});

test.each([
  ["rm -rf src", "rm -rf src"],
  ["git reset --hard", "git reset -q --hard"],
  ["git checkout .", "git checkout -q ."],
  ["git clean -fd", "git clean -qfd"],
  ["git stash", "git stash -qu"],
  ["sed -i", "sed -i 's/a/b/' src/a.txt .env"],
  ["chmod", "chmod -R a-w src; chmod 777 .env"],
  [
    "a directory that becomes a link elsewhere",
    "mkdir ../out; mv src ../out/moved; ln -s ../out/moved src; rm src/a.txt",
  ],
  ["a file that becomes a directory", "rm untracked.txt; mkdir untracked.txt; echo x > untracked.txt/y"],
  ["a directory that becomes a file", "rm -rf src; echo x > src"],
  ["links", "rm link; echo x > link; ln -sf /etc/passwd untracked.txt"],
  ["ignoring what was saved", "echo src > .gitignore; echo lost > src/a.txt; rm -rf .env"],
  ["names of any bytes", "printf x > $'new\\nline'; printf y > $'\\377'; rm -rf src"],
  ["git init in it", "rm -rf .git; cd src; git init -q; echo x > a.txt"],
  ["a commit and a change of branch", "git add -A; git commit -qm two; git checkout -q HEAD~1; rm -rf src"],
  ["an ignored file where a directory was", "printf '*' > .gitignore; rm -rf src; echo x > src"],
  [
    "a directory of ignored files where a file was",
    "printf '*' > .gitignore; rm bin.dat; mkdir -p bin.dat/a; echo > bin.dat/a/b",
  ],
  ["everything", "rm -rf ./* .env .gitignore .gitattributes .git"],
])("after %s, all files come back", async (_, command) => {
  const one = await world(repository);
  const saved = await one.undo.take(note);
  const before = one.state();
  one.sh(command);
  const after = one.state();
  await goBack(one, saved.id);
  expect(one.state()).toEqual(before);
  // And an undo can be undone.
  const undone = (await one.undo.list()).at(-1);
  expect(undone?.kind).toBe("undo");
  await goBack(one, undone?.id ?? "");
  expect(one.state()).toEqual(after);
});

test("without a repository, and in nested ones, which may have no commit", async () => {
  const one = await world(
    "mkdir -p lib sub/x; echo 1 > lib/a; cd sub; git init -q; echo 2 > x/b; echo '*.o' > .gitignore; echo 3 > c.o",
  );
  const saved = await one.undo.take(note);
  const before = one.state();
  one.sh("rm -rf lib sub/x; echo 4 > sub/new; echo 5 > sub/c.o");
  await goBack(one, saved.id);
  // Ignored: not saved, so not touched.
  expect(one.state()).toEqual({ ...before, "sub/c.o": before["sub/c.o"]?.replace("3", "5") });
});

test("saves a file that is tracked although it is ignored, and no other ignored one", async () => {
  const one = await world(
    "git init -q; echo dist > .gitignore; mkdir dist; echo 1 > dist/kept; git add -f dist/kept; echo 2 > dist/not",
  );
  const saved = await one.undo.take(note);
  one.sh("rm dist/kept dist/not");
  await goBack(one, saved.id);
  expect(Object.keys(one.state())).toEqual([".gitignore", "dist/kept"]);
});

test("a project below the top of its repository saves its own files only, by the repository's rules", async () => {
  const base = await tempDir();
  const project = join(base, "repo/packages/one");
  mkdirSync(join(project, "dist"), { recursive: true });
  execFileSync("git", ["init", "-q"], { cwd: join(base, "repo") });
  for (const [name, text] of [
    ["../../.gitignore", "dist\n"],
    ["a", "1"],
    ["dist/x", "2"],
    ["../two", "3"],
  ] as const)
    writeFileSync(join(project, name), text);
  const undo = await openUndo({ projectDir: project, store: join(base, "store/undo.git"), git, session: "s" });
  const first = await undo.take(note);
  for (const name of ["a", "dist/x", "../two"]) writeFileSync(join(project, name), "changed");
  const then = await undo.take({ ...note, kind: "after" });
  const changes = await undo.changes(then.id, first.id);
  expect(changes.map(({ name }) => utf8Text(name))).toEqual(["packages/one/a"]);
});

test("files above 20 MiB are left alone; what had been saved comes back, and what cannot be saved stays beside it", async () => {
  const one = await world("echo small > grows; echo small > pipe");
  const big = Buffer.alloc(maxFileBytes + 1);
  writeFileSync(join(one.project, "big"), big);
  writeFileSync(join(one.project, "fits"), big.subarray(1));
  const saved = await one.undo.take(note);
  writeFileSync(join(one.project, "grows"), big);
  writeFileSync(join(one.project, "fits"), "small");
  writeFileSync(join(one.project, "big"), "small");
  one.sh("rm pipe; mkfifo pipe");
  await goBack(one, saved.id);
  const size = (name: string) => lstatSync(join(one.project, name)).size;
  expect([size("grows"), size("pipe"), size("fits"), size("big")]).toEqual([6, 6, maxFileBytes, 5]);
  expect(size("grows.before-undo")).toBe(big.length);
  expect(lstatSync(join(one.project, "pipe.before-undo")).isFIFO()).toBe(true);
});

test.each([".gitignore", "sub/.gitattributes", ".git/index", ".git/info/exclude", ".git/logs/HEAD"])(
  "a named pipe in place of %s, which git reads by its name, does not hang",
  async (name) => {
    const one = await world(
      "git init -q; mkdir sub; echo 1 > sub/a; git add -A; git -c user.name=a -c user.email=a commit -qm a",
    );
    one.sh(`rm -f ${name}; mkfifo ${name}; echo 2 > sub/b`);
    const taken = await one.undo.take(note).catch((error: Error) => error);
    const isWorkTree = !name.startsWith(".git/") || name === ".git/info/exclude";
    // What git does not need for the files is left out.
    if (isWorkTree) expect(taken).toMatchObject({ code: "git_failed", message: expect.stringContaining(name) });
    else expect(taken).toMatchObject({ kind: "before" });
  },
);

test("nothing is restored if a file has changed meanwhile", async () => {
  const one = await world("git init -q; echo dist/ > .gitignore; echo 1 > a; echo 2 > b");
  const saved = await one.undo.take(note);
  one.sh("echo 3 > a; rm b");
  const now = await one.undo.take({ ...note, kind: "after" });
  const changes = await one.undo.changes(now.id, saved.id);
  one.sh("echo 4 > a");
  await expect(one.undo.restore(saved.id, changes, undoNote)).rejects.toMatchObject({ code: "changed_meanwhile" });
  expect(existsSync(join(one.project, "b"))).toBe(false);
});

test("nothing is restored if a file that is not saved is in the way", async () => {
  const one = await world("mkdir a; echo 1 > a/b; echo 2 > c");
  const saved = await one.undo.take(note);
  one.sh("rm -rf a c; truncate -s 21M a");
  await expect(goBack(one, saved.id)).rejects.toMatchObject({ code: "in_the_way" });
  expect(existsSync(join(one.project, "c"))).toBe(false);
});

test("runs no program of the project, whose own repository keeps its index and refs", async () => {
  const hook =
    "printf '#!/bin/sh\\ntouch RAN\\n' > h; chmod 755 h; git config core.fsmonitor ./h; git config core.hooksPath .; cp h post-checkout; cp h post-index-change";
  const filter =
    "git config filter.f.clean ./h; git config filter.f.smudge ./h; git config filter.f.required true; echo '* filter=f' > .git/info/attributes";
  const remote =
    'git config remote.o.url "ext::sh -c touch% $PWD/RAN% #"; git config remote.o.promisor true; git config protocol.ext.allow always';
  const lacking = `echo ${"1".repeat(40)} > .git/refs/heads/x; git config extensions.partialClone o; git config core.repositoryFormatVersion 1`;
  const one = await world(`git init -q; echo 1 > a; git add a; ${hook}; ${filter}; ${remote}; ${lacking}`);
  const index = readFileSync(join(one.project, ".git/index"), "latin1");
  const saved = await one.undo.take(note);
  one.sh("rm a");
  await goBack(one, saved.id);
  expect(existsSync(join(one.project, "RAN"))).toBe(false);
  expect(readFileSync(join(one.project, ".git/index"), "latin1")).toBe(index);
});

test("commits, stashes and objects outlive the project's own repository", async () => {
  const one = await world(repository);
  const lost = one.sh("git add -A; git commit -qm precious; git rev-parse HEAD").trim();
  await one.undo.take(note);
  one.sh("git reset -q --hard HEAD~1; git reflog expire --expire=now --all; git gc -q --prune=now");
  const store = join(one.project, "../store/undo.git");
  expect(one.sh(`git fetch -q ${store} 'refs/ikigai/kept/*:refs/back/*'; git log -1 --format=%s ${lost}`)).toBe(
    "precious\n",
  );
});

test("removes what is older than 30 days, with its commits of the project", async () => {
  const one = await world(repository);
  await one.undo.take(note);
  const refs = () => one.sh("git -C ../store/undo.git for-each-ref --format='%(refname)'").match(/ikigai\/\w+/g);
  await one.undo.prune(new Date(Date.now() + 29 * 24 * 3_600_000));
  expect(refs()).toEqual(["ikigai/kept", "ikigai/sessions"]);
  await one.undo.prune(new Date(Date.now() + 32 * 24 * 3_600_000));
  expect([await one.undo.list(), refs()]).toEqual([[], null]);
});

test("packs many objects together, but not what is the project's own pack, too", async () => {
  const one = await world(`${repository}; git gc -q`);
  const packs = (which: string) => Number(one.sh(`ls ../store/undo.git/objects/pack | grep -c '${which}' || true`));
  const loose = () => Number(one.sh("find ../store/undo.git/objects -path '*/??/*' -type f | wc -l"));
  await one.undo.take(note);
  one.sh("for i in $(seq 8000); do echo $i > $i; done");
  await one.undo.take({ ...note, kind: "after" });
  expect([loose() > 8_000, packs("keep$")]).toEqual([true, 1]);
  await one.undo.prune();
  await expect.poll(loose, { timeout: 50_000 }).toBeLessThan(10);
  expect([packs("pack$"), (await one.undo.list()).length]).toEqual([2, 2]);
});

test("two sessions may begin at the same time", async () => {
  const one = await world("git init -q; printf '* text=auto eol=lf\\n' > .gitattributes; printf 'a\\r\\n' > a");
  one.sh("rm -rf ../store");
  const both = await Promise.all([one.again(), one.again()]);
  const saved = await Promise.all(both.map((undo) => undo.take(note)));
  one.sh("rm a; ls -d ../store/*");
  await goBack({ ...one, undo: both[0] }, saved[1]?.id ?? "");
  expect([one.state().a, one.sh("ls ../store")]).toEqual(["644 a\r\n", "undo.git\n"]);
});

test("a project with too many files is not saved, unless any number may be", async () => {
  const one = await world("touch a b c");
  const most = async (maxFiles: number) => (await one.again({ maxFiles })).take(note);
  await expect(most(2)).rejects.toMatchObject({ code: "too_many_files" });
  expect(await most(3)).toMatchObject(note);
});

test("what comes too late is not taken, and the lock of a killed git is removed", async () => {
  const one = await world("echo 1 > a");
  await expect(one.undo.take(note, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "too_late" });
  one.sh("for one in ../store/undo.git/index-*; do touch -d '10 seconds ago' $one.lock; done");
  await expect(one.undo.take(note)).rejects.toThrow(
    /^ikigai was killed while it saved or restored files, and its git may still run\. Try again in (?:49|50) s\.$/,
  );
  one.sh("for one in ../store/undo.git/index-*; do touch -d '2 minutes ago' $one; done");
  expect(await one.undo.take(note)).toMatchObject(note);
});

test("a file that is no longer ignored, or added to git anyway, is not a new one", async () => {
  const one = await world(
    "git init -q; printf 'dist\\nkey\\n' > .gitignore; mkdir dist; echo 1 > dist/a; echo 1 > key",
  );
  const saved = await one.undo.take(note);
  one.sh("echo dist > .gitignore; git add -f dist/a; echo new > new");
  await goBack(one, saved.id);
  expect(one.state()).toMatchObject({ "dist/a": "644 1\n", key: "644 1\n" });
  expect(one.state()).not.toHaveProperty("new");
});

test("shows what changed in a longer file, too", async () => {
  const one = await world("seq 1000 > a");
  const saved = await one.undo.take(note);
  one.sh("sed -i s/^500$/half/ a");
  const now = await one.undo.take({ ...note, kind: "after" });
  expect(await one.undo.diff(saved.id, now.id)).toContain("\n-500\n+half\n");
});

describe("the list", () => {
  test("has the notes, and an `after` only if something changed", async () => {
    const one = await world("echo 1 > a");
    await one.undo.take({ turn: 3, kind: "before", text: "grüße\n\0" });
    await one.undo.take({ turn: 3, kind: "after", text: "none" });
    one.sh("chmod 600 a");
    await one.undo.take({ turn: 3, kind: "after", text: "chmod" });
    expect((await one.undo.list()).map(({ turn, kind, text }) => ({ turn, kind, text }))).toEqual([
      { turn: 3, kind: "before", text: "grüße\n\0" },
      { turn: 3, kind: "after", text: "chmod" },
    ]);
  });
});

describe("a plan", () => {
  /** A turn of ikigai: what it does between its two snapshots. */
  async function turn({ undo, sh }: World, at: number, command: string): Promise<void> {
    await undo.take({ turn: at, kind: "before", text: `turn ${at}` });
    sh(command);
    await undo.take({ turn: at, kind: "after", text: command });
  }
  const names = (changes: readonly { readonly name: string }[] = []) => changes.map(({ name }) => name).sort();

  test("undoes the last turn, and a second time takes that back", async () => {
    const one = await world("echo 1 > a; echo 1 > b");
    await turn(one, 10, "echo 2 > a");
    await turn(one, 20, "echo 3 > a; rm b; echo 3 > c");
    const after = one.state();
    const plan = await planUndo(one.undo);
    expect(names(plan?.changes)).toEqual(["a", "b", "c"]);
    if (plan) await applyUndo(one.undo, plan);
    expect(one.state()).toMatchObject({ a: "644 2\n", b: "644 1\n" });
    const redo = await planUndo(one.undo);
    if (redo) await applyUndo(one.undo, redo);
    expect(one.state()).toEqual(after);
  });

  test("undoes the last turn that changed something", async () => {
    const one = await world("echo 1 > a; echo 1 > b");
    await turn(one, 10, "rm a");
    one.sh("echo user > b");
    await turn(one, 20, "true");
    expect(names((await planUndo(one.undo))?.changes)).toEqual(["a"]);
  });

  test("undoes what calls did that are still running", async () => {
    const one = await world("echo 1 > a; echo 1 > b");
    await one.undo.take({ ...note, turn: 10 });
    one.undo.callsBegin();
    one.sh("rm a");
    const another = await one.again();
    const plan = await planUndo(another);
    expect([names(plan?.changes), plan?.isMixed]).toEqual([["a"], true]);
    if (plan) await applyUndo(another, plan);
    expect(one.state()).toMatchObject({ a: "644 1\n" });
    one.sh("rm b");
    await one.undo.take({ ...note, turn: 10, kind: "after" });
    const back = await planUndo(another);
    expect([names(back?.changes), back?.isMixed]).toEqual([["b"], false]);
  });

  test("undoes what calls did that were killed with their ikigai, not what the user did later", async () => {
    const one = await world("for i in a b c mine; do echo 1 > $i; done");
    await one.undo.take({ ...note, turn: 10 });
    one.undo.callsBegin();
    one.sh("rm a; echo call > b; echo call > c; touch -d @1 c; echo call > new");
    // As if that process had ended 3 seconds ago.
    const lock = one.sh("ls ../store/undo.git/*.calls").trim();
    const { pid } = spawnSync("true");
    const text = readlinkSync(join(one.project, lock)).replace(/^\d+/, `${pid}`);
    one.sh(
      `ln -sf '${text}' ${lock}; touch -hd '-3 seconds' ${lock}; sleep 0.1; echo user > b; echo user > mine; echo > own`,
    );
    for (let times = 0; times < 2; times++) {
      const plan = await planUndo(await one.again());
      expect([names(plan?.changes), names(plan?.stays), plan?.isMixed]).toEqual([
        ["a", "c", "new"],
        ["b", "mine", "own"],
        false,
      ]);
    }
    const undo = await one.again();
    const plan = await planUndo(undo);
    if (plan) await applyUndo(undo, plan);
    expect(one.state()).toEqual({ a: "644 1\n", b: "644 user\n", c: "644 1\n", mine: "644 user\n", own: "644 \n" });
  });

  test("knows what another process of the session has undone", async () => {
    const one = await world("echo 1 > a; echo 1 > b");
    await turn(one, 10, "echo 2 > a");
    const another = await one.again();
    const first = await planUndo(another);
    if (first) await applyUndo(another, first);
    await turn(one, 20, "echo 3 > a; echo 3 > b");
    const plan = await planUndo(one.undo, 10);
    expect([names(plan?.changes), names(plan?.stays)]).toEqual([["a", "b"], []]);
  });

  test("undoes everything since a turn; what the user changed stays, and is listed if calls changed it too", async () => {
    const one = await world("echo 1 > a; echo 1 > b; echo 1 > mine");
    await turn(one, 10, "echo 2 > a; echo 2 > b");
    one.sh("echo user > mine; echo user >> b");
    await turn(one, 20, "rm a");
    const plan = await planUndo(one.undo, 10);
    expect([names(plan?.changes), names(plan?.stays)]).toEqual([["a"], ["b"]]);
    if (plan) await applyUndo(one.undo, plan);
    expect(one.state()).toEqual({ a: "644 1\n", b: "644 2\nuser\n", mine: "644 user\n" });
  });

  test("does not exist before the first turn and after the last one", async () => {
    const one = await world("echo 1 > a");
    expect(await planUndo(one.undo)).toBeUndefined();
    await turn(one, 10, "echo 2 > a");
    expect(await planUndo(one.undo, 11)).toBeUndefined();
    expect(names((await planUndo(one.undo, 10))?.changes)).toEqual(["a"]);
  });
});
