// Promise 4 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { cleanEnv, ikigai, some } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { openFullScreen } from "./terminal.ts";

const bash = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });

/** A repository with uncommitted work, and a home. */
async function project() {
  const [cwd, home] = [await tempDir({ "src/a.txt": "one\n", "b.txt": "two\n" }), await tempDir()];
  const git = (...args: string[]) => execFileSync("git", args, { cwd, env: { ...process.env, HOME: home } });
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one");
  writeFileSync(join(cwd, "b.txt"), "dirty\n");
  const env = await cleanEnv(home);
  const run = (...args: string[]) => ikigai(args, { cwd, env });
  const does = (command: string, more: NodeJS.ProcessEnv = {}) =>
    ikigai(["-p", `run ${command}`, "--model", "offline", "--permission-mode", "allow"], {
      cwd,
      env: { ...env, ...more },
    });
  const content = (path: string) => readFileSync(join(cwd, path), "utf8");
  return { cwd, home, run, does, content };
}

test("restores what commands destroyed, and takes it back", async () => {
  const { cwd, run, does, content } = await project();
  await does("git reset -q --hard; rm -rf src; touch new");
  expect(await run("undo")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--yes") });
  const { exitCode, stdout } = await run("undo", "--yes");
  expect([exitCode, stdout.split("\n").slice(1)]).toEqual([
    0,
    [
      "  b.txt is restored (6 B)",
      "  new is removed",
      "  src/a.txt is restored (4 B)",
      "Undone: 3 files. To take it back: ikigai undo",
      "",
    ],
  ]);
  expect([content("b.txt"), content("src/a.txt"), existsSync(join(cwd, "new"))]).toEqual(["dirty\n", "one\n", false]);
  await run("undo", "--yes");
  expect([content("b.txt"), existsSync(join(cwd, "src")), existsSync(join(cwd, "new"))]).toEqual([
    "two\n",
    false,
    true,
  ]);
});

test("lists first what determines what runs, with the reason", async () => {
  const { run, does } = await project();
  await does("touch a; mkdir -p src/b; touch src/b/.envrc");
  const { stdout } = await run("undo", "--yes");
  expect(stdout.split("\n").slice(1, 3)).toEqual([
    "  src/b/.envrc is removed; the shell runs it on entering the directory",
    "  a is removed",
  ]);
});

test.each(
  some(2, [
    ["git", "true", "rm -rf src; git reset -q --hard; git reflog expire --expire=now --all; git gc -q --prune=now"],
    ["no git", "rm -rf .git", "rm -rf src .secret; echo x > src; chmod 4711 bin"],
    [
      "submodules and nested repositories",
      `git init -q "$HOME/lib"; (cd "$HOME/lib"; echo l > l; git add -A; git commit -qm l)
     git -c protocol.file.allow=always submodule add -q "$HOME/lib" lib; git commit -qm sub; echo dirty >> lib/l; echo > lib/extra
     git init -q nested; echo n > nested/n`,
      "rm -rf nested; git clean -qffdx; git -C lib clean -qfd; git submodule -q foreach git checkout -q .",
    ],
  ]),
)("brings all files back byte for byte in a project with %s, and destroys them again", async (_, setUp, command) => {
  const { cwd, home, run } = await project();
  const env = { ...process.env, HOME: home, GIT_CONFIG_GLOBAL: join(home, "git") };
  const sh = (text: string) => execFileSync("bash", ["-ec", text], { cwd, env, encoding: "utf8" });
  const state = () =>
    sh(`find . -name .git -prune -o ! -type d -printf '%p %m %l\\n' | sort
        find . -name .git -prune -o -type f -print0 | sort -z | xargs -0 sha1sum`);
  sh(`git config --global user.name a; git config --global user.email a@b
      printf 'a\\r\\n' >> src/a.txt; printf '\\377\\0' > bin; chmod 755 bin; ln -s src/a.txt link; echo > .secret; chmod 600 .secret
      ${setUp}`);
  const before = state();
  const model = await startModel([bash(command)]);
  // Where git may write.
  const mode = command.includes("git ") || !hasBubblewrap ? "allow" : "auto";
  const args = ["-p", "go", "--model", "openai-compatible/m", "--permission-mode", mode];
  await ikigai(args, { cwd, env: { ...(await cleanEnv(home)), ...model.env } });
  const after = state();
  expect(after).not.toBe(before);
  await run("undo", "--yes");
  expect(state()).toBe(before);
  await run("undo", "--yes");
  expect(state()).toBe(after);
});

test("lists the turns, goes back before one of them, and leaves alone what the user changed", async () => {
  const { cwd, run, does, content } = await project();
  await does("echo 1 > src/a.txt; echo 1 > b.txt");
  const id = /[\d-]+-\w+/.exec((await run("undo", "--list")).stdout)?.[0] ?? "";
  await run("-p", "run rm src/a.txt", "--model", "offline", "--permission-mode", "allow", "--resume", id);
  writeFileSync(join(cwd, "b.txt"), "mine\n");
  const list = await run("undo", "--list");
  expect(list.stdout).toMatch(
    /^Session .*\n1 {2}run echo 1 .* \(just now, 2 files\)\n2 {2}run rm .* \(just now, 1 file\)\n$/,
  );
  expect(await run("undo", "--turn", "3")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("1 to 2") });
  const shown = JSON.parse((await run("undo", "--turn", "1", "--json")).stdout);
  expect(shown).toMatchObject({ undone: false, restored: [join(cwd, "src/a.txt")], stays: [join(cwd, "b.txt")] });
  await run("undo", "--turn", "1", "--yes");
  expect([content("src/a.txt"), content("b.txt")]).toEqual(["one\n", "mine\n"]);
});

test("says that nothing was saved: without a session, and if the user wants that", async () => {
  const { home, run, does } = await project();
  expect(await run("undo")).toMatchObject({ exitCode: 1, stderr: "ikigai: Nothing to undo in this directory.\n" });
  await ikigai(["config", "set", "undo", "false"], { env: await cleanEnv(home) });
  await does("rm b.txt");
  expect((await run("undo")).stderr).toBe("ikigai: Nothing to undo in this directory.\n");
});

test("waits two seconds for a project's files, or as long as the user wants", { tags: ["slow"] }, async () => {
  const { home, run, does, content } = await project();
  const slow = await tempDir({ git: { content: '#!/bin/sh\nsleep 1\nexec /usr/bin/git "$@"\n', mode: 0o755 } });
  const env = { PATH: `${slow}:${process.env.PATH}` };
  const { stderr } = await does("rm b.txt", env);
  expect(stderr).toContain(
    "cannot restore what commands change. Saving the project's files takes longer than 2 s. To wait for it: ",
  );
  expect((await run("undo")).stderr).toBe("ikigai: Nothing to undo in this directory.\n");
  await ikigai(["config", "set", "undo", "true"], { env: await cleanEnv(home) });
  await does("rm src/a.txt", env);
  await run("undo", "--yes");
  expect(content("src/a.txt")).toBe("one\n");
});

/** A directory with a git that takes 3 s to save the first files. */
const slowGit = () =>
  tempDir({
    git: {
      content: `#!/bin/sh
case "$*" in *--replace*) [ -e "$0.ran" ] || { touch "$0.ran"; sleep 3; } ;; esac
exec /usr/bin/git "$@"
`,
      mode: 0o755,
    },
  });

test("reads the files while the model thinks, so that no call waits", async () => {
  const { cwd, home, run } = await project();
  const model = await startModel([{ ...bash("rm -r src"), waitMs: 4_000 }]);
  const env = { ...(await cleanEnv(home)), ...model.env, PATH: `${await slowGit()}:${process.env.PATH}` };
  const args = ["-p", "go", "--model", "openai-compatible/m", "--permission-mode", "allow"];
  expect(await ikigai(args, { cwd, env })).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining("2 s") });
  expect((await run("undo", "--yes")).stdout).toContain("src/a.txt is restored");
});

test.each([
  ["waits", "\r", "Done.", "src/a.txt is restored (4 B)"],
  ["continues without undo", "\u001b[B\r", "cannot restore what commands change", "Nothing to undo"],
])("after 2 s asks once whether to wait, and %s", async (_, answer, shown, undone) => {
  const { cwd, home, run } = await project();
  const model = await startModel([bash("rm -r src"), bash("rm b.txt")]);
  const PATH = `${await slowGit()}:${process.env.PATH}`;
  const args = ["--model", "openai-compatible/m", "--permission-mode", "allow"];
  const terminal = await openFullScreen(args, { cwd, env: { HOME: home, ...model.env, PATH } });
  await terminal.waitFor(/openai-compatible\/m$/);
  terminal.type("go\r");
  await terminal.waitFor(/longer than 2 s\.[\s\S]*Wait until calls can be undone\?/);
  terminal.type(answer);
  await terminal.waitFor("Done.");
  expect(await terminal.waitFor(shown)).toContain("Done.");
  expect((await run("undo", "--turn", "1", "--yes")).stdout + (await run("undo")).stderr).toContain(undone);
});

test.each([true, false])(
  "a call does not run unasked while its files cannot be saved; tried again: %s",
  async (isTried) => {
    const { cwd, home, run } = await project();
    const broken = await tempDir({
      git: {
        content: `#!/bin/sh\ncase "$*" in *update-index*) [ ! -e "$0.broken" ] || exit 1 ;; esac\nexec /usr/bin/git "$@"\n`,
        mode: 0o755,
      },
    });
    const model = await startModel([bash("touch new"), { text: "First." }, bash("rm -r src")]);
    const args = ["--model", "openai-compatible/m", "--permission-mode", "allow"];
    const PATH = `${broken}:${process.env.PATH}`;
    const terminal = await openFullScreen(args, { cwd, env: { HOME: home, ...model.env, PATH } });
    await terminal.waitFor(/openai-compatible\/m$/);
    terminal.type("go\r");
    await terminal.waitFor("First.");
    writeFileSync(join(cwd, "mine"), "mine\n");
    writeFileSync(join(broken, "git.broken"), "");
    terminal.type("go on\r");
    await terminal.waitFor(/could not be saved[\s\S]*Wait until calls can be undone\?/);
    expect(existsSync(join(cwd, "src"))).toBe(true);
    rmSync(join(broken, "git.broken"));
    terminal.type(isTried ? "\r" : "\u001b[B\r");
    await terminal.waitFor("Done.");
    expect(existsSync(join(cwd, "src"))).toBe(false);
    if (isTried) expect((await run("undo", "--yes")).stdout).toContain("src/a.txt is restored");
    else expect(await terminal.waitFor("cannot restore what commands change")).toContain("Done.");
  },
);

test("after kill -9, undoes what the call did, not what the user did later", async () => {
  const { cwd, home, run, content } = await project();
  const model = await startModel([bash("rm -r src; echo call > b.txt; touch new; sleep 60")]);
  const args = ["-p", "go", "--model", "openai-compatible/m", "--permission-mode", "allow"];
  await ikigai(args, {
    cwd,
    env: { ...(await cleanEnv(home)), ...model.env },
    whileRunning: async (child) => {
      await expect.poll(() => existsSync(join(cwd, "new"))).toBe(true);
      child.kill("SIGKILL");
    },
  });
  await sleep(4_000);
  writeFileSync(join(cwd, "mine"), "mine\n");
  writeFileSync(join(cwd, "new"), "mine\n");
  const { stdout } = await run("undo", "--yes");
  expect(stdout.split("\n").slice(1, -2)).toEqual([
    "  mine stays: you changed it since",
    "  new stays: you changed it since",
    "  b.txt is restored (6 B)",
    "  src/a.txt is restored (4 B)",
  ]);
  expect([content("b.txt"), content("mine"), content("new")]).toEqual(["dirty\n", "mine\n", "mine\n"]);
});

test("calls that only read save nothing", async () => {
  const { cwd, home, run } = await project();
  const read = { calls: [{ name: "file_read", arguments: { file_path: "b.txt" } }] };
  const model = await startModel([read, read]);
  const broken = await tempDir({ git: { content: "#!/bin/sh\nexit 1\n", mode: 0o755 } });
  for (const PATH of [process.env.PATH, `${broken}:${process.env.PATH}`]) {
    const env = { ...(await cleanEnv(home)), ...model.env, PATH };
    const args = ["-p", "go", "--model", "openai-compatible/m", "--permission-mode", "allow"];
    expect(await ikigai(args, { cwd, env })).toMatchObject({ exitCode: 0, stderr: "" });
  }
  expect(model.requests).toHaveLength(4);
  expect(await run("undo", "--list")).toMatchObject({
    exitCode: 1,
    stderr: "ikigai: Nothing to undo in this directory.\n",
  });
});

test("a session that may only read does not even look at the files", async () => {
  const { home, run } = await project();
  await run("-p", "read b.txt", "--model", "offline");
  expect(existsSync(join(home, ".ikigai/projects"))).toBe(false);
});

test("undoes the newest session that changed files, and names it", async () => {
  const { run, does, content } = await project();
  await does("echo new > b.txt");
  await does("ls > /dev/null");
  const { stdout } = await run("undo", "--yes");
  expect(stdout).toMatch(/^Since "run echo new > b.txt" \(.*, session \S+\):\n {2}b.txt is restored/);
  expect(content("b.txt")).toBe("dirty\n");
});
