// Promise 4 of SECURITY.md.
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findProgram } from "@ikigai/system";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { openUndo } from "../src/index.ts";
import { stateOf } from "./state-of.ts";

const git = findProgram("git", process.env.PATH, "/nonexistent") ?? "";
/** IKIGAI_TEST_RUNS sets another count. */
const runs = Number(process.env.IKIGAI_TEST_RUNS) || (inject("isThorough") ? 1_000 : 4);

/** Names that meet: files and directories that become each other. */
const name = fc.constantFrom(
  "a",
  "b",
  "src",
  "src/a",
  "src/b",
  "src/lib",
  "src/lib/a",
  "x y",
  "-f",
  "link",
  ".hidden",
  "dist",
  "dist/a",
);
const content = fc.constantFrom("", "x", "a\r\nb\n", "long ".repeat(500), "\\0377\\0000");
const making = fc.oneof(
  fc
    .tuple(name, content)
    .map(([path, text]) => `mkdir -p -- "$(dirname -- "./${path}")"; printf '${text}' > "./${path}"`),
  fc.tuple(name, name).map(([path, to]) => `ln -s "${to}" "./${path}"`),
  fc
    .tuple(name, fc.constantFrom("600", "755", "644", "4711", "400"))
    .map(([path, bits]) => `[ -f "./${path}" ] && chmod ${bits} "./${path}"`),
);
const destroying = fc.oneof(
  name.map((path) => `rm -rf "./${path}"`),
  fc.tuple(name, name).map(([from, to]) => `mv -f "./${from}" "./${to}"`),
  fc.tuple(name, name).map(([from, to]) => `cp -rf "./${from}" "./${to}"`),
  name.map((path) => `sed -i s/x/y/ "./${path}"`),
  name.map((path) => `: > "./${path}"`),
  fc.constantFrom(
    "git reset -q --hard",
    "git checkout -q .",
    "git clean -qfd",
    "git clean -qfdx",
    "git stash -qu",
    "git checkout -q HEAD~1",
    "git add -A; git commit -qm z",
    "git rm -rqf --ignore-unmatch src",
    "rm -rf .git",
    "rm -rf ./* ./.hidden",
    "chmod -R a-w src",
    "chmod -R go-rwx .",
    "find . -name a -delete",
    "printf 'src\\n*\\n' > .gitignore",
    "truncate -s 0 a src/a",
  ),
  making,
);

test(`${runs} random destructive commands on dirty trees are undone, byte for byte`, {
  timeout: 3_600_000,
}, async () => {
  const commands = fc.record({
    committed: fc.array(making, { maxLength: 8 }),
    dirty: fc.array(fc.oneof(making, destroying), { maxLength: 6 }),
    done: fc.array(destroying, { minLength: 1, maxLength: 6 }),
    ignored: fc.constantFrom("", "dist", "*.o", "src/lib"),
  });
  await fc.assert(
    fc.asyncProperty(commands, async ({ committed, dirty, done, ignored }) => {
      const base = await tempDir();
      const project = join(base, "p");
      mkdirSync(project);
      const env = { ...process.env, HOME: base, GIT_CONFIG_GLOBAL: "/dev/null" };
      const sh = (lines: readonly string[]) =>
        execFileSync("bash", ["-c", `${lines.join("\n")}\ntrue`], { cwd: project, env, stdio: "ignore" });
      const setUp = [
        "git init -q; git config user.email a@b; git config user.name a",
        `printf '${ignored}\\n' > .gitignore`,
      ];
      sh([
        ...setUp,
        ...committed,
        "git add -A; git commit -qm one --allow-empty; git commit -qm two --allow-empty",
        ...dirty,
      ]);
      const undo = await openUndo({ projectDir: project, store: join(base, "store/undo.git"), git, session: "s" });
      const saved = await undo.take({ turn: 1, kind: "before", text: "" });
      const before = stateOf(project);
      sh(done);
      const after = stateOf(project);
      const now = await undo.take({ turn: 1, kind: "after", text: "" });
      const note = { turn: 1, kind: "undo", text: "" } as const;
      const undone = await undo.restore(saved.id, await undo.changes(now.id, saved.id), note);
      // What git ignored at the first snapshot is not saved: it is as the commands left it.
      const listed = new Set((await undo.names(saved.id)).map((one) => Buffer.from(one, "latin1").toString("utf8")));
      const covered = (state: Record<string, string>) =>
        Object.fromEntries(Object.entries(state).filter(([path]) => listed.has(path)));
      expect(covered(stateOf(project))).toEqual(covered(before));
      const back = await undo.take({ turn: 1, kind: "before", text: "" });
      await undo.restore(undone.id, await undo.changes(back.id, undone.id), note);
      expect(stateOf(project)).toEqual(after);
    }),
    { numRuns: runs },
  );
});

test("the snapshots of a session have all that changed, however little", { timeout: 3_600_000 }, async () => {
  const commands = fc.record({
    committed: fc.array(making, { maxLength: 4 }),
    done: fc.array(
      fc.oneof(
        destroying,
        fc.constantFrom(
          "mkdir -p src/lib/deep; git init -q src/lib; echo x > src/lib/a",
          "echo x >> src/lib/a; echo dist > src/lib/.gitignore",
          "mkdir -p dist src/dist node_modules",
          "echo x > node_modules/x; echo x > src/dist/x",
          "touch a src/a; touch -d 2001-01-01 b",
          "echo dist > .git/info/exclude",
          "git add -Af",
          "truncate -s 21M src/b",
          "chmod 000 a",
          "mv src other; ln -s other src",
        ),
      ),
      { minLength: 4, maxLength: 10 },
    ),
    scope: fc.constantFrom(".", "src"),
    pauseMs: fc.constantFrom(0, 25),
  });
  await fc.assert(
    fc.asyncProperty(commands, async ({ committed, done, scope, pauseMs }) => {
      const base = await tempDir();
      const root = join(base, "p");
      mkdirSync(join(root, "src"), { recursive: true });
      const env = { ...process.env, HOME: base, GIT_CONFIG_GLOBAL: "/dev/null" };
      const sh = (line: string) => execFileSync("bash", ["-c", `${line}\ntrue`], { cwd: root, env, stdio: "ignore" });
      sh("git init -q; git config user.email a@b; git config user.name a");
      sh([...committed, "git add -A; git commit -qm one --allow-empty"].join("\n"));
      const place = { projectDir: join(root, scope), store: join(base, "store/undo.git"), git };
      const undo = await openUndo({ ...place, session: "s" });
      for (const [at, command] of done.entries()) {
        sh(command);
        // Another session would call the files other names.
        const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory();
        if (!isThere(place.projectDir) || !isThere(join(root, ".git"))) return;
        await sleep(pauseMs);
        const { id } = await undo.take({ turn: 1, kind: "after", text: "" });
        // A session without a snapshot lets git compare all files.
        const other = await openUndo({ ...place, session: `other-${at}` });
        const fresh = await other.take({ turn: 1, kind: "now", text: "" });
        expect([command, await other.changes(id, fresh.id)]).toEqual([command, []]);
      }
    }),
    { numRuns: runs },
  );
});
