// @module-tag sampled
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { call, tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { answer, bin } from "./run.ts";

/** The path of a program; `undefined` if it is not installed. */
function pathOf(name: string): string | undefined {
  const directories = (process.env.PATH ?? "").split(delimiter);
  return directories.map((directory) => join(directory, name)).find(existsSync);
}

type Row = [command: string, output: string, exitCode?: number];

/** Commands that every shell understands, and what they answer. */
const shared: readonly Row[] = [
  ["echo hello", "hello"],
  ["false", "", 1],
  ["exit 3", "", 3],
  ["printf 'one\\ntwo\\n\\n'", "one\ntwo\n"],
  ["echo a; exit 255", "a", 255],
  ["", "", 127],
  ["# nothing", ""],
  ["yes | head -n 1", "y"],
  ["echo out; echo err >&2; echo out", "out\nerr\nout"],
  ["cat", ""],
  ["sh -c 'kill -TERM $PPID'; echo no", "", 143],
  [`echo ${"x".repeat(140_000)}`, "x".repeat(140_000)],
];

/** What only this shell understands. */
const own: Readonly<Record<string, readonly Row[]>> = {
  bash: [
    ["a=(1 2 3); for i in {0..1}; do echo $((a[i] * 2)); done", "2\n4"],
    ["[[ abc == a* ]] && echo yes", "yes"],
    ["no-such-command", "bash: line 1: no-such-command: command not found", 127],
    ["-x", "bash: line 1: -x: command not found", 127],
  ],
  dash: [
    ["echo {1..2}", "{1..2}"],
    ["no-such-command", "dash: 1: no-such-command: not found", 127],
  ],
  zsh: [
    ["a=(1 2 3); echo $a[2]", "2"],
    ["echo $0:u", "ZSH"],
    ["no-such-command", "zsh:1: command not found: no-such-command", 127],
    ["-x", "zsh:1: command not found: -x", 127],
  ],
  fish: [
    ["set a 1 2 3; echo $a[2]", "2"],
    ["for i in (seq 2); echo $i; end", "1\n2"],
    ["if test 1 = 1; echo yes; end", "yes"],
    ["string upper abc", "ABC"],
    ["-x", "fish: Unknown command: -x\nfish: \n-x\n^^", 127],
  ],
};

describe.each(["bash", "dash", "zsh", "fish"])("with %s (needs that package)", (name) => {
  const path = pathOf(name);
  const env = { IKIGAI_SHELL: path ?? "" };

  test.skipIf(path === undefined).each<Row>([...shared, ...(own[name] ?? [])])(
    "runs %.80s",
    async (command, output, exitCode) => {
      expect(await call(bin, { command }, { env })).toEqual(answer(output, exitCode));
    },
  );

  test.skipIf(path === undefined)("reads none of the user's configuration", async () => {
    const noise = "echo configured\n";
    const home = await tempDir({
      ".bashrc": noise,
      ".zshrc": noise,
      ".zshenv": noise,
      ".config/fish/config.fish": noise,
    });
    // Under sshd, bash may take a command for a login.
    const login = { SSH_CLIENT: "::1 1 22", SSH_CONNECTION: "::1 1 ::1 22", SHLVL: "0" };
    const { result } = await call(bin, { command: "echo hello" }, { env: { ...env, ...login, HOME: home } });
    expect(result?.output).toBe("hello");
  });

  test.skipIf(path === undefined)("runs no file that the environment names, and keeps its options", async () => {
    const cwd = await tempDir({
      "noise.sh": "echo configured\n",
      ".zshenv": "echo configured\n",
      "functions/ls.fish": "function ls\n echo configured\nend\n",
      "functions/ls": "echo configured\n",
      "a/b/secret": "nested\n",
      "a/secret": "near\n",
    });
    const files = {
      BASH_ENV: "./noise.sh",
      ENV: "./noise.sh",
      ZDOTDIR: ".",
      FPATH: "./functions",
      fish_function_path: "./functions",
    };
    const options = {
      BASHOPTS: "globstar",
      SHELLOPTS: "noglob:xtrace",
      GLOBIGNORE: "a",
      EXECIGNORE: "*/cat",
      BASH_COMPAT: "3.1",
    };
    const all = { env: { ...env, ...files, ...options }, cwd };
    expect((await call(bin, { command: "ls; cat a/s*" }, all)).result?.output).toBe("a\nfunctions\nnoise.sh\nnear");
    // Without globstar, ** is *. fish and zsh always descend.
    if (name === "bash" || name === "dash")
      expect((await call(bin, { command: "cat **/secret" }, all)).result?.output).toBe("near");
    expect((await call(bin, { command: "env" }, all)).result?.output).not.toMatch(
      /^(?:BASH_ENV|ENV|BASHOPTS|SHELLOPTS|GLOBIGNORE|EXECIGNORE|BASH_COMPAT)=/m,
    );
  });

  test.skipIf(path === undefined)("stops a command that takes too long, with everything that it started", async () => {
    const command = name === "fish" ? "sleep 60 & sleep 60" : "sleep 60 & sleep 60; echo no";
    const began = performance.now();
    const { result } = await call(bin, { command, timeout_ms: 300 }, { env });
    expect(result).toMatchObject({ exit_code: 124 });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test.skipIf(path === undefined)("needs no pipe of its own", async () => {
    const { result } = await call(
      bin,
      { command: "echo out; echo err >&2 # end" },
      { env: { ...env, TMPDIR: "/proc" } },
    );
    expect(result).toMatchObject({ output: "out\nerr", exit_code: 0 });
  });
});

/** What models write for bash, much of which dash reads otherwise, and mostly without an error. */
const idioms: readonly Row[] = [
  ["false &> out.txt && echo PASSED", "", 1],
  ["(sleep 0.2; echo tested) &> out.txt; tail -3 out.txt", "tested"],
  ["mkdir -p src/{a,b} && ls src", "a\nb"],
  ["for i in {1..3}; do echo $i; done", "1\n2\n3"],
  ["echo $'a\\tb'", "a\tb"],
  ['echo -e "a\\nb"', "a\nb"],
  ["[[ -f x ]] || echo no", "no"],
  ["set -o pipefail; false | true", "", 1],
  ["diff <(echo a) <(echo a) && echo same", "same"],
  ["cat <<< word", "word"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: That is bash.
  ["arr=(1 2 3); echo ${arr[1]} ${#arr[@]}", "2 3"],
  ["pushd / > /dev/null; pwd", "/"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: That is bash.
  ["x=banana; echo ${x//a/b} ${x:1:2}", "bbnbnb an"],
  ["echo 'a=1' > env.sh; source env.sh; echo $a", "1"],
  ['if [ "a" == "a" ]; then echo yes; fi', "yes"],
  ["function f { echo $1; }; f x", "x"],
  ["echo out >& both; cat both; echo err |& cat", "out\nerr"],
];

describe("without IKIGAI_SHELL", () => {
  test.each<Row>(idioms)("bash runs %s", async (command, output, exitCode) => {
    expect(await call(bin, { command }, { cwd: await tempDir() })).toEqual(answer(output, exitCode));
  });

  test("it is the first bash of the PATH that is not in the project, or else sh", async () => {
    const shell = { content: "#!/bin/sh\necho $0\n", mode: 0o755 };
    const tree = await tempDir({ "project/bin/bash": shell, "own/bash": shell });
    const cwd = join(tree, "project");
    const runWith = (...PATH: string[]) =>
      call(process.execPath, { command: "echo $0" }, { args: [bin], cwd, env: { PATH: PATH.join(delimiter) } });
    expect(await runWith(join(cwd, "bin"), "bin", join(tree, "own"))).toEqual(answer(join(tree, "own/bash")));
    expect(await runWith(join(cwd, "bin"))).toEqual(answer("sh"));
  });
});

test("names the shell that cannot be started", async () => {
  expect(await call(bin, { command: "echo no" }, { env: { IKIGAI_SHELL: "/nope/fish" } })).toEqual(
    answer("fish: cannot be started: spawn /nope/fish ENOENT", 127),
  );
});

test.each(["fish", "bin/zsh", "/usr/bin/pwsh", "/usr/bin/__proto__"])("refuses IKIGAI_SHELL=%s", async (shell) => {
  expect(await call(bin, { command: "echo no" }, { env: { IKIGAI_SHELL: shell } })).toEqual(
    answer(`bash: IKIGAI_SHELL must be the absolute path of one of bash, sh, dash, zsh, fish, got "${shell}"`, 127),
  );
});
