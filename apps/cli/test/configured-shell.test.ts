// @module-tag sampled
import { existsSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

/** A home whose configuration chooses this shell, and a model that calls bash once. */
async function withShell(shell: string, command: string) {
  const home = await tempDir({ ".ikigai/config.json": JSON.stringify({ tools: { bash: { shell } } }) });
  const cwd = await tempDir();
  const model = await startModel([{ calls: [{ name: "bash", arguments: { command } }] }, { text: "Done." }]);
  const run = (...args: string[]) =>
    ikigai(["-p", "go", "--model", "openai-compatible/m", ...args], { cwd, env: { HOME: home, ...model.env } });
  return { run, sent: () => JSON.stringify(model.requests.at(-1)), place: { cwd, env: { HOME: home } } };
}

describe.each([
  ["bash", "/usr/bin/bash", "[[ a == a ]] && echo $IKIGAI_SHELL", "Shell: bash\\n"],
  ["fish", "/usr/bin/fish", "set a $IKIGAI_SHELL; echo $a[1]", "Shell: fish; write fish, not sh\\n"],
  ["zsh", "/usr/bin/zsh", "a=($IKIGAI_SHELL); echo $a[1]", "Shell: zsh; write zsh, not sh\\n"],
])("with %s (needs that package)", (_, shell, command, told) => {
  test.skipIf(!existsSync(shell))("the model learns which shell it writes for, and bash runs it", async () => {
    const { run, sent, place } = await withShell(shell, command);
    expect(await run("--permission-mode", "allow")).toMatchObject({ exitCode: 0 });
    const log = await ikigai(["tool", "log"], place);
    expect(log.stdout).toContain(`IKIGAI_SHELL=${shell}`);
    const replayed = await ikigai(["replay", "1", "--yes"], place);
    expect(replayed.stdout + replayed.stderr).toContain("Same result");
    expect(sent()).toContain(told);
    expect(sent()).toContain(`${shell}\\"`);
  });
});

test.skipIf(!existsSync("/usr/bin/fish"))("a rule for a part allows nothing in fish (needs fish)", async () => {
  const { run, sent, place } = await withShell("/usr/bin/fish", "echo a; and touch made");
  await run("--allow", "bash(echo *)");
  expect(sent()).toContain("This call needs permission");
  expect(existsSync(join(place.cwd, "made"))).toBe(false);
});

test("without one, the model learns that it is bash, or which shell sh is", async () => {
  const HOME = await tempDir();
  const shellSent = async (PATH: string | undefined) => {
    const model = await startModel([{ text: "Done." }]);
    await ikigai(["-p", "go", "--model", "openai-compatible/m"], { env: { HOME, PATH, ...model.env } });
    return /Shell: (.*?)\\n/.exec(JSON.stringify(model.requests))?.[1];
  };
  expect(await shellSent(process.env.PATH)).toBe("bash");
  expect(await shellSent(await tempDir({ node: { link: process.execPath } }))).toMatch(/^sh \([a-z]+\)$/);
});

describe("what opens an editor ends at once, whatever the user's own is", () => {
  test.each(["git commit", "git commit --amend", "git rebase -i HEAD~1", "git tag -a v1"])("%s", async (command) => {
    const cwd = await tempDir({ "a.txt": "a\n", "b.txt": "b\n" });
    const HOME = await tempDir({ ".gitconfig": "[user]\nname = a\nemail = a@b\n[core]\neditor = vim\n" });
    const before =
      "git init -q && git add a.txt && git commit -qm a && git add b.txt && git commit -qm b && echo c >> a.txt";
    const env = { HOME, EDITOR: "vim", TERM: "xterm-256color" };
    const stage = command.includes("rebase") ? "git stash -q" : "git add a.txt";
    await ikigai(["tool", "call", "bash", JSON.stringify({ command: `${before} && ${stage}` })], { cwd, env });
    const { stdout } = await ikigai(["tool", "call", "bash", JSON.stringify({ command, timeout_ms: 10_000 })], {
      cwd,
      env,
    });
    const { result } = JSON.parse(stdout);
    expect(result.output).toContain("no editor here: use -m, --no-edit");
    expect(result.exit_code).not.toBe(0);
  });
});

test("a shell that is gone leaves no other to run the commands", async () => {
  const { run, sent } = await withShell("/usr/bin/no-such/bash", "echo a");
  await run("--permission-mode", "allow");
  expect(sent()).toContain("its shell /usr/bin/no-such/bash is not an executable file");
});

test("config set refuses a shell that is not installed, unless its tool runs elsewhere", async () => {
  const HOME = await tempDir();
  const set = (key: string, value: string) => ikigai(["config", "set", key, value], { env: { HOME } });
  const refused = await set("tools.bash.shell", "/no/such/fish");
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('There is no program "/no/such/fish".'),
  });
  expect(await set("tools.bash.shell", "/bin/bash")).toMatchObject({ exitCode: 0 });
  await set("tools.bash.launcher", '["ssh", "host"]');
  await set("tools.bash.path", "/usr/libexec/bash-tool");
  expect(await set("tools.bash.shell", "/no/such/fish")).toMatchObject({ exitCode: 0 });
});
