// Promise 8 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { commands } from "../src/args/commands.ts";
import { mainOptions } from "../src/args/option.ts";
import { complete as answer } from "../src/commands/completion/completion.ts";
import { bin, ikigai } from "./ikigai.ts";
import { shippedToolNames } from "./shipped-tools.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

const hello = `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"hello","description":"Say hello","parameters":{"type":"object","properties":{}}}'; exit; fi
cat > /dev/null
echo '{"output":"hello"}'
`;

/** A plain tool, whose parameters are in its comments. */
const greet = `#!/bin/sh
# @describe Greet a person
# @option --name! Whom to greet
# @option --tone[kind|rude] How
# @flag --loud Shout
# @option --tags* Labels
touch "$HOME/was-run"
`;

/** A tool that creates a file when it runs. */
const spy = `#!/bin/sh
touch "$HOME/was-run"
${hello}`;

async function complete(words: readonly string[], options: Parameters<typeof ikigai>[1] = {}) {
  const { exitCode, stdout, stderr } = await ikigai(["__complete", ...words], options);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout.split("\n").slice(0, -1);
}

async function valuesOf(words: readonly string[], options: Parameters<typeof ikigai>[1] = {}) {
  return (await complete(words, options)).map((line) => line.split("\t")[0]);
}

test("no summary of a command or a main option is too long for a description", () => {
  const all = [...Object.values(commands), ...Object.values(mainOptions)];
  const texts = all.map(({ summary }) => summary);
  expect(texts.filter((text) => text.length > 80)).toEqual([]);
});

test("offers every command and every option", async () => {
  const home = await tempDir();
  // In this process: it prints nothing else, and many processes take long.
  const offered = async (...words: string[]) =>
    (await answer(words, { HOME: home })).split("\n").flatMap((line) => line.split("\t")[0] || []);
  const first = await offered("");
  expect(await valuesOf([""])).toEqual(first);
  const groups: Record<string, string[]> = {
    tool: await offered("tool", ""),
    config: await offered("config", ""),
    hook: await offered("hook", ""),
    sessions: await offered("sessions", ""),
    mcp: await offered("mcp", ""),
  };
  for (const name of Object.keys(commands)) {
    const [word, next] = name.split(" ");
    expect(first).toContain(word);
    if (next) expect(groups[word ?? ""]).toContain(next);
  }
  const names = (options: object) => Object.keys(options).map((name) => `--${name}`);
  expect(await offered("--")).toEqual(names(mainOptions));
  for (const { name, options } of Object.values(commands))
    expect(await offered(...name.split(" "), "--")).toEqual([...names(options), "--help"]);
});

test("offers a word that several commands share only once", async () => {
  for (const words of [[""], ["help", ""]])
    expect((await complete(words)).filter((line) => line.startsWith("tool\t"))).toEqual([
      "tool\tlist, show, call, check, create and install tools",
    ]);
});

test.each([
  [
    ["--output-format", ""],
    ["text", "json", "stream-json"],
  ],
  [
    ["-p", "x", "--permission-mode=pl"],
    ["ask", "edits", "auto", "plan", "allow", "deny"].map((mode) => `--permission-mode=${mode}`),
  ],
  [
    ["tool", "new", "x", "--lang", ""],
    ["sh", "bash", "python", "ruby", "perl", "node", "awk", "go", "typescript"],
  ],
  [["tool", "new", ""], []],
  [["tool", "nonsense", ""], []],
  [["nonsense", "x"], []],
  [
    ["tool", "list", ""],
    ["--json", "--help"],
  ],
  [["tool", "list", "--json", ""], ["--help"]],
  [
    ["tool", "check", ""],
    [...shippedToolNames, ":file"],
  ],
  [["tool", "add", ""], [":file"]],
  [["tool", "check", "x-tool", "--cwd", ""], [":directory"]],
  [["tool", "call", "nosuch", ""], []],
  [
    ["completion", ""],
    ["bash", "zsh", "fish"],
  ],
  [
    ["help", "tool", ""],
    [
      "list",
      "show",
      "call",
      "path",
      "types",
      "check",
      "eval",
      "new",
      "wrap",
      "export",
      "search",
      "add",
      "allow",
      "update",
      "remove",
      "log",
    ],
  ],
  [["tool", "check", "x-tool", "--only", ""], expect.arrayContaining(["executable", "ends-on-sigterm"])],
  [["--resume", ""], []],
  [["replay", ""], []],
  [["tool", "remove", ""], []],
])("completes %j with %j", async (words, expected) => {
  expect(await valuesOf(words)).toEqual(expected);
});

test("offers tools without running any, and those of a project once it is trusted", async () => {
  // An empty cache.
  const home = await tempDir({ ".ikigai/tools/spy-tool": spy, ".ikigai/cache/": "" });
  const cwd = await tempDir({ ".ikigai/tools/ours-tool": hello });
  const options = { cwd, env: { HOME: home } };
  const listed = [...shippedToolNames.map((name) => `${name}\tsystem`), "spy\tuser"];
  expect(await complete(["tool", "call", ""], options)).toEqual(listed.sort());
  expect(await valuesOf(["tool", "show", ""], options)).not.toContain("ours");
  expect((await ikigai(["trust", "--yes"], options)).exitCode).toBe(0);
  await ikigai(["tool", "list"], options);
  execFileSync("rm", [join(home, "was-run")]);
  const offered = await complete(["--allow", ""], options);
  expect(offered).toContain("ours\tSay hello");
  expect(offered).toContain("spy\tSay hello");
  expect(() => execFileSync("ls", [join(home, "was-run")], { stdio: "ignore" })).toThrow();
});

test("offers the parameters of a tool that was never run, with their values, and without those that are given", async () => {
  const home = await tempDir({ ".ikigai/tools/greet-tool": { content: greet, mode: 0o755 } });
  const options = { env: { HOME: home } };
  expect(await complete(["tool", "call", "greet", ""], options)).toEqual([
    "name=\tWhom to greet",
    ...["tone=kind\tHow", "tone=rude\tHow"],
    ...["loud=true\tShout", "loud=false\tShout"],
    "tags=\tLabels",
  ]);
  const given = ["name=Ada", "loud=true", "tags=a", "to"];
  expect(await valuesOf(["tool", "call", "greet", ...given], options)).toEqual(["tone=kind", "tone=rude", "tags="]);
  expect(existsSync(join(home, "was-run"))).toBe(false);
});

test("describes sessions by their first message, and calls by their arguments", async () => {
  const options = { cwd: await tempDir(), env: { HOME: await tempDir() } };
  await ikigai(["-p", "run echo hello", "--allow", "bash", "--model", "offline"], options);
  const [session = ""] = await complete(["tool", "log", ""], options);
  const [id = ""] = session.split("\t");
  expect(session).toMatch(/^[\w-]+\t.*: run echo hello$/);
  for (const words of [["--resume"], ["-r"], ["-pr"]])
    expect(await complete([...words, ""], options)).toEqual([session]);
  expect(await complete(["replay", ""], options)).toEqual(['1\tbash {"command":"echo hello"}']);
  expect(await complete(["replay", "--session", id, ""], options)).toEqual(['1\tbash {"command":"echo hello"}']);
});

test("does not hang when the list of models is a FIFO", async () => {
  const home = await tempDir({ ".ikigai/cache/": "" });
  execFileSync("mkfifo", [join(home, ".ikigai/cache/models.json")]);
  expect(await valuesOf(["--model", ""], { env: { HOME: home } })).toContain("offline");
});

test("offers the configured model and the models that were listed last", async () => {
  const home = await tempDir({
    ".ikigai/config.json": '{"model": "openai/mine"}',
    ".ikigai/cache/models.json": '{"google https://x/v1beta": ["google/listed", 7], "ollama": 7}',
  });
  const offered = await valuesOf(["--model", ""], { env: { HOME: home } });
  expect(offered.slice(0, 2)).toEqual(["openai/mine", "google/listed"]);
  expect(offered).toContain("offline");
  expect(offered).toContain("anthropic/");
});

test("offers no name that a shell would expand", async () => {
  const names = ["openai/m$(id)", "openai/`id`", "openai/a b", "openai/a;b", "openai/~", "openai/é"];
  const plain = ["openai/gpt-5.1", "openai-compatible/qwen3:8b", "openai-compatible/@cf/a_b+c"];
  const home = await tempDir({ ".ikigai/cache/models.json": JSON.stringify({ server: [...names, ...plain] }) });
  for (const [words, glued] of [
    [["--model", ""], ""],
    [["--model="], "--model="],
  ] as const) {
    const offered = await valuesOf(words, { env: { HOME: home } });
    expect(offered).toEqual(expect.arrayContaining(plain.map((name) => glued + name)));
    expect(offered.filter((value = "") => /[$`; ~é]/.test(value))).toEqual([]);
  }
});

test("offers installed packages to tool remove", async () => {
  const env = { HOME: await tempDir() };
  const cwd = await tempDir({ "hello-tool": hello });
  execFileSync("chmod", ["+x", join(cwd, "hello-tool")]);
  expect((await ikigai(["tool", "add", "./hello-tool", "--yes"], { cwd, env })).exitCode).toBe(0);
  const [offered = ""] = await complete(["tool", "remove", ""], { cwd, env });
  expect(offered).toMatch(/^hello.*\t.*hello/);
});

const shells = {
  bash: { command: ["bash", "--norc", "--noprofile", "-i"], load: 'eval "$(ikigai completion bash)"' },
  zsh: { command: ["zsh", "-f", "-i"], load: 'PS1="$ "; eval "$(ikigai completion zsh)"' },
  fish: {
    command: ["fish", "--no-config"],
    load: "function fish_prompt; echo '$ '; end; ikigai completion fish | source",
  },
} as const;

function isMissing(shell: string): boolean {
  try {
    execFileSync(shell, ["--version"], { stdio: "ignore" });
    return false;
  } catch {
    return true;
  }
}

async function openShell(shell: keyof typeof shells): Promise<Terminal> {
  const { command, load } = shells[shell];
  const home = await tempDir({
    "bin/keep": "",
    ".ikigai/config.json": '{"model": "openai-compatible/qwen3:8b"}',
    ".ikigai/tools/greet-tool": { content: greet, mode: 0o755 },
  });
  chmodSync(bin, 0o755);
  symlinkSync(bin, join(home, "bin/ikigai"));
  const env = { HOME: home, PATH: `${join(home, "bin")}:${process.env.PATH}`, PS1: "$ ", ZDOTDIR: home };
  const cwd = await tempDir({ "folder/my-tool": hello, "file.txt": "" });
  const terminal = await openTerminal([], { command: [...command], cwd, env });
  await terminal.waitFor(/[$>%#] ?$/);
  terminal.type(`${load}; echo "is ready" | tr a-z A-Z\r`);
  await terminal.waitFor(/IS READY\n[^\n]*[$>] ?$/);
  return terminal;
}

describe.each(Object.keys(shells) as (keyof typeof shells)[])("in %s", (shell) => {
  const isAbsent = isMissing(shell);

  test.skipIf(isAbsent)(
    `Tab writes what can only be one thing (needs ${shell})`,
    async () => {
      const terminal = await openShell(shell);
      for (const [typed, expected] of [
        ["ikigai doct", "ikigai doctor "],
        ["ikigai tool ca", "ikigai tool call "],
        ["ikigai tool call file_r", "ikigai tool call file_read "],
        ["ikigai tool call greet na", "ikigai tool call greet name="],
        ["ikigai tool call greet name=Ada tone=k", "ikigai tool call greet name=Ada tone=kind "],
        ["ikigai --output-f", "ikigai --output-format "],
        ["ikigai -p x --output-format st", "ikigai -p x --output-format stream-json "],
        ["ikigai -p x --output-format=st", "ikigai -p x --output-format=stream-json "],
        ["ikigai --model openai-compatible/qwen3:", "ikigai --model openai-compatible/qwen3:8b "],
        ["ikigai --model=openai-compatible/q", "ikigai --model=openai-compatible/qwen3:8b "],
        ["ikigai help env", "ikigai help environment "],
        ["ikigai tool check fold", "ikigai tool check folder/"],
        ["ikigai trust fo", "ikigai trust folder/"],
      ] as const) {
        terminal.type(`${typed}\t`);
        await terminal.waitFor(expected.trimEnd());
        // Typing another character shows whether a space follows.
        terminal.type("_");
        await terminal.waitFor(new RegExp(`${expected}_$`, "m"));
        terminal.type("\u0015");
      }
    },
    60_000,
  );

  test.skipIf(isAbsent || shell !== "bash")("Tab completes an alias, also one with options", async () => {
    const terminal = await openShell("bash");
    for (const options of ["", " --plain", " --model offline", " -m offline", " -p review --model offline"]) {
      terminal.type(
        `rm -f ~/bin/ikigai; alias ikigai="'${process.execPath}' '${bin}'${options}"; echo set | tr a-z A-Z\r`,
      );
      await terminal.waitFor(/SET\n[^\n]*[$>] ?$/);
      terminal.type("ikigai doct\t_");
      await terminal.waitFor(/ikigai doctor _$/m);
      terminal.type("\u0015clear\r");
    }
  });

  test.skipIf(isAbsent)(`Tab lists the candidates (needs ${shell})`, async () => {
    const terminal = await openShell(shell);
    terminal.type("ikigai tool \t\t");
    const screen = await terminal.waitFor(/list[\s\S]*remove|remove[\s\S]*list/);
    for (const name of ["show", "call", "check", "update"]) expect(screen).toContain(name);
    if (shell !== "bash") await terminal.waitFor("test whether an executable follows the protocol");
  });
});

test("models completes everything that it accepts", async () => {
  expect(await valuesOf(["models", ""])).toEqual([...(await valuesOf(["login", ""])), "ollama", "offline"]);
});
