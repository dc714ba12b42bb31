// @module-tag sampled
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, cleanEnv, ikigai } from "./ikigai.ts";
import { openTerminal } from "./terminal.ts";

const config = (content: string) => ({ ".ikigai/config.json": { content, mode: 0o600 } });
const textIn = (home: string) => readFileSync(join(home, ".ikigai/config.json"), "utf8");

test("sets, prints and removes a setting", async () => {
  const HOME = await tempDir();
  const run = (...args: string[]) => ikigai(["config", ...args], { env: { HOME } });
  expect(await run("set", "model", "anthropic/claude-x")).toEqual({
    exitCode: 0,
    stdout: '~/.ikigai/config.json: model = "anthropic/claude-x"\n',
    stderr: "",
  });
  await run("set", "screen.bell", "true");
  expect((await run("set", "screen.bell", "false")).stdout).toBe(
    "~/.ikigai/config.json: screen.bell = false (was true)\n",
  );
  expect((await run("set", "maxSteps", "-1")).stderr).toMatch(/^ikigai: .*maxSteps.*, got -1/);
  expect((await run("set", "maxTurns", "5")).stderr).toContain("Did you mean maxSteps?");
  expect((await run("list")).stderr).toContain("To print the settings: ikigai config get");
  await run("set", "sandbox.writable", '["~/.cache"]');
  await run("set", "permission.rules", '[{"deny":"bash(rm *)"}]');
  expect((await run("get", "model")).stdout).toBe("anthropic/claude-x\n");
  expect((await run("get", "screen.bell")).stdout).toBe("false\n");
  expect(JSON.parse((await run("get")).stdout)).toEqual({
    model: "anthropic/claude-x",
    screen: { bell: false },
    sandbox: { writable: ["~/.cache"] },
    permission: { rules: [{ deny: "bash(rm *)" }] },
  });
  const place = "~/.ikigai/config.json";
  expect(await run("unset", "screen.bell")).toEqual({
    exitCode: 0,
    stdout: `${place}: removed screen.bell (was false)\n`,
    stderr: "",
  });
  expect(await run("unset", "screen.bell")).toEqual({
    exitCode: 0,
    stdout: `${place}: screen.bell was not set, nothing was changed\n`,
    stderr: "",
  });
  expect(JSON.parse(textIn(HOME))).not.toHaveProperty("screen");
  expect(await run("get", "screen.bell")).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: "ikigai: screen.bell is not set.\n",
  });
  expect((await run("path")).stdout).toBe(`${join(HOME, ".ikigai/config.json")}\n`);
});

test.each([
  [
    ["set", "sandbox.enabled", "yes"],
    'Expected "sandbox.enabled" to be true or false, got "yes".\nNothing was changed.',
  ],
  [["set", "sandbx.enabled", "true"], 'Unknown setting "sandbx.enabled". Did you mean sandbox.enabled?'],
  [["set", "foo.bar", "x"], "patience, maxSteps, undo, screen.\nNothing was changed."],
  [
    ["set", "screen.thme", "dark"],
    "Did you mean screen.theme? Known settings here: theme, bell, notify, progress, status, motion, links, full, title.\nNothing was changed.",
  ],
  [["get", "modle"], 'Unknown setting "modle". Did you mean model?'],
  [["set", "permission.mode", "acceptEdits"], 'got "acceptEdits". Did you mean edits?\nNothing was changed.'],
  [
    ["set", "permission.mode", "zzz"],
    'to be one of ask, edits, auto, plan, allow, deny, got "zzz".\nNothing was changed.',
  ],
  [["set", "permission.mode", "7"], 'Expected "permission.mode" to be'],
  [["set", "model", "anthropc/claude"], "Did you mean anthropic/claude?\nNothing was changed."],
  [["set", "model", "foo"], 'Expected a model as provider/model, got "foo". Providers: anthropic'],
  [["set", "model", "anthropic/"], 'Expected a model as provider/model, got "anthropic/".'],
  [
    ["set", "providers.anthropic.baseUrl", "foo"],
    'Expected the base URL of anthropic to be like https://host/v1, got "foo".\nNothing was changed.',
  ],
  [["set", "providers", '{"openai":{"baseUrl":"foo"}}'], "Expected the base URL of openai to be like"],
  [["set", "providers.anthropic.apiKey", '["sk-12345678"]'], "got something else."],
])("refuses ikigai config %j", async (args, problem) => {
  const HOME = await tempDir(config('{"model": "offline"}'));
  const { exitCode, stdout, stderr } = await ikigai(["config", ...args], { env: { HOME } });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(problem);
  expect(stderr).not.toContain("sk-12345678");
  expect(textIn(HOME)).toBe('{"model": "offline"}');
});

test("warns about a rule that names no tool, and sets it", async () => {
  const HOME = await tempDir();
  const set = (rules: string) => ikigai(["config", "set", "permission.rules", rules], { env: { HOME } });
  const wrong = await set('[{"allow":"bsh"},{"deny":"bash(rm *)"},{"ask":"file_*"}]');
  expect(wrong.exitCode).toBe(0);
  expect(wrong.stderr).toBe(
    "allow bsh: no tool is called bsh. Did you mean bash? To list the tools: ikigai tool list\n",
  );
  expect(JSON.parse(textIn(HOME)).permission.rules).toHaveLength(3);
  expect(await set('[{"allow":"bash"}]')).toMatchObject({ exitCode: 0, stderr: "" });
});

test("says what is still wrong with the file after a change, and removes an unknown key", async () => {
  const HOME = await tempDir(config('{"sandbox":{"enabeld":true},"screen":{"thme":"dark"}}'));
  const run = (...args: string[]) => ikigai(["config", ...args], { env: { HOME } });
  const set = await run("set", "sandbox.enabled", "true");
  expect(set).toMatchObject({ exitCode: 2, stdout: "~/.ikigai/config.json: sandbox.enabled = true\n" });
  expect(set.stderr).toMatch(/^ikigai: The configuration still cannot be used, so nothing will run:\n/);
  expect(set.stderr).toContain('Unknown setting "sandbox.enabeld". Did you mean "enabled"?');
  expect(set.stderr).toContain('Unknown setting "screen.thme". Did you mean "theme"?');
  expect(set.stderr).toMatch(/\nTo remove a setting: ikigai config unset KEY\n$/);
  expect(await run("set", "model", "offline")).toMatchObject({
    exitCode: 2,
    stdout: expect.stringContaining("model ="),
  });
  const unset = await run("unset", "sandbox.enabeld");
  expect(unset).toMatchObject({ exitCode: 0, stdout: "~/.ikigai/config.json: removed sandbox.enabeld\n" });
  expect(unset.stderr).toMatch(/^\/.*: Unknown setting "screen\.thme"/);
  expect(await run("unset", "screen.thme")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(JSON.parse(textIn(HOME))).toEqual({ sandbox: { enabled: true }, model: "offline" });
});

test("shows neither keys nor passwords", async () => {
  const content = '{"providers":{"openai":{"apiKey":"sk-0123456789","baseUrl":"https://me:pass-word@host/v1"}}}';
  const HOME = await tempDir(config(content));
  for (const key of [
    [],
    ["providers"],
    ["providers.openai"],
    ["providers.openai.apiKey"],
    ["providers.openai.baseUrl"],
  ]) {
    const { stdout, stderr } = await ikigai(["config", "get", ...key], { env: { HOME } });
    expect(stdout).toMatch(/…|host/);
    expect(stdout + stderr).not.toMatch(/sk-0123456789|pass-word/);
  }
  const set = await ikigai(["config", "set", "providers.google.apiKey", "AIza-0123456789"], { env: { HOME } });
  const unset = await ikigai(["config", "unset", "providers.openai.apiKey"], { env: { HOME } });
  expect(unset.stdout).toContain("removed providers.openai.apiKey (was ");
  expect(unset.stdout).not.toContain("sk-0123456789");
  expect(set.stdout).not.toContain("AIza-0123456789");
  expect(set.stdout).toContain(
    "Better: ikigai login google, which keeps it out of config.json and your shell history.\n",
  );
});

test("loses nothing when several processes change it at once", async () => {
  const HOME = await tempDir();
  const keys = ["maxSteps", "patience.maxRetries", "patience.firstRetryMs", "tools.bash.timeoutMs"];
  await Promise.all(keys.map((key) => ikigai(["config", "set", key, "3"], { env: { HOME } })));
  expect(JSON.parse(textIn(HOME))).toMatchObject({
    maxSteps: 3,
    patience: { maxRetries: 3, firstRetryMs: 3 },
    tools: { bash: { timeoutMs: 3 } },
  });
});

test("neither reads nor changes a project", async () => {
  const cwd = await tempDir(config('{"model": "evil/model"}'));
  const HOME = await tempDir();
  await ikigai(["config", "set", "providers.openai.baseUrl", "https://host/v1"], { cwd, env: { HOME } });
  expect(textIn(cwd)).toBe('{"model": "evil/model"}');
  const { stdout } = await ikigai(["config", "get"], { cwd, env: { HOME } });
  expect(JSON.parse(stdout)).toEqual({ providers: { openai: { baseUrl: "https://host/v1" } } });
});

const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

test.skipIf(!canMount)("keeps the file on a full disk", async () => {
  const root = await tempDir({ "disk/": "" });
  const script = `mount -t tmpfs -o size=16k tmpfs "$1" && mkdir -m 700 "$1/.ikigai" && export HOME=$1 && umask 077
    echo '{"model": "offline"}' > "$1/.ikigai/config.json"; head -c 100000 /dev/zero > "$1/fill" 2> /dev/null
    "$2" "$3" config set model openai/one 2>&1; echo "exit $?"; cat "$1/.ikigai/config.json"; ls "$1/.ikigai"`;
  const output = execFileSync("unshare", ["-rm", "sh", "-c", script, "sh", join(root, "disk"), process.execPath, bin], {
    env: await cleanEnv(),
    encoding: "utf8",
  });
  expect(output).toMatch(
    /^ikigai: Nothing was changed: no space left on device\.\nexit 1\n\{"model": "offline"\}\nconfig\.json\n$/,
  );
});

/** An editor that does what `$DO` says with the file. */
async function openEditor(steps: readonly string[], content = '{"model": "offline"} // mine\n') {
  const HOME = await tempDir(config(content));
  const body = `#!/bin/sh\nn=$(cat "${HOME}/n" 2>/dev/null || echo 0); echo $((n+1)) > "${HOME}/n"\ncase $n in\n${steps
    .map((step, index) => `${index}) ${step} ;;`)
    .join("\n")}\nesac\n`;
  const bins = await tempDir({ "my-editor": { content: body, mode: 0o755 } });
  const terminal = await openTerminal(["config", "edit"], { env: { HOME, EDITOR: join(bins, "my-editor") } });
  const copies = () => readdirSync(join(HOME, ".ikigai")).filter((name) => name.startsWith("ikigai-tmp."));
  return { HOME, terminal, copies };
}

test("config edit saves a valid file", async () => {
  const { HOME, terminal, copies } = await openEditor(['echo \'{"model": "openai/b"} // new\' > "$1"']);
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.screen()).toContain("Saved: ~/.ikigai/config.json");
  expect(textIn(HOME)).toBe('{"model": "openai/b"} // new\n');
  expect(copies()).toEqual([]);
});

test("config edit says which rules name no tool", async () => {
  const { terminal } = await openEditor([`echo '{"permission":{"rules":[{"deny":"bsh(rm *)"}]}}' > "$1"`]);
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.screen()).toContain("deny bsh(rm *): no tool is called bsh. Did you mean bash?");
});

test("config edit offers to edit an invalid file again", async () => {
  const bad = 'echo \'{"sandbox": {"enabled": 1}}\' > "$1"';
  const { HOME, terminal, copies } = await openEditor([bad, 'echo \'{"sandbox": {"enabled": true}}\' > "$1"']);
  await terminal.waitFor(':1:25: Expected "sandbox.enabled" to be true or false, got 1.');
  await terminal.waitFor("e edit again, q quit without saving:");
  expect(textIn(HOME)).toBe('{"model": "offline"} // mine\n');
  terminal.type("s\r");
  await terminal.waitFor(/saving: s\s+e edit/);
  terminal.type("e\r");
  expect(await terminal.exitCode).toBe(0);
  expect(JSON.parse(textIn(HOME))).toEqual({ sandbox: { enabled: true } });
  expect(copies()).toEqual([]);
});

test("config edit names the configuration and the setting that is unknown, and hides only values", async () => {
  const bad = { providers: { openai: { apiKey: "sk-hidden-0123" } }, modle: "sk-hidden-0456" };
  const { terminal, copies } = await openEditor([`echo '${JSON.stringify(bad)}' > "$1"`]);
  await terminal.waitFor("e edit again, s save anyway, q quit without saving:");
  expect(terminal.screen()).toMatch(/\/\.ikigai\/config\.json:1:53: Unknown setting "modle"\. Did you mean "model"\?/);
  expect(terminal.screen()).toContain('{"providers":{"openai":{"apiKey":…}},"modle":…}');
  expect(terminal.screen()).not.toMatch(/ikigai-tmp|sk-hidden/);
  terminal.type("q\r");
  expect(await terminal.exitCode).toBe(1);
  await terminal.waitFor(`Not saved. Your text is in`);
  expect(copies()).toHaveLength(1);
});

test("config edit checks the model and the base URLs as config set does", async () => {
  const bad = { model: "antropic/x", providers: { openai: { baseUrl: "foo" } } };
  const { HOME, terminal } = await openEditor([`echo '${JSON.stringify(bad)}' > "$1"`]);
  await terminal.waitFor(/Did you mean anthropic\/x\?[\s\S]*Expected the base URL of openai to be like/);
  await terminal.waitFor("e edit again, s save anyway, q quit without saving:");
  terminal.type("q\r");
  expect(await terminal.exitCode).toBe(1);
  expect(textIn(HOME)).toBe('{"model": "offline"} // mine\n');
});

test("config edit keeps a text that is not saved", async () => {
  const quit = await openEditor(["echo '{broken' > \"$1\""]);
  await quit.terminal.waitFor("e edit again, q quit without saving:");
  quit.terminal.type("q\r");
  expect(await quit.terminal.exitCode).toBe(1);
  const other = `echo '{"model": "c/d"}' > "$HOME/.ikigai/config.json"; echo '{"model": "openai/b"}' > "$1"`;
  const changed = await openEditor([other]);
  expect(await changed.terminal.exitCode).toBe(1);
  expect(changed.terminal.screen()).toContain("has changed since you opened it");
  expect(textIn(changed.HOME)).toBe('{"model": "c/d"}\n');
  for (const { terminal, copies, HOME } of [quit, changed]) {
    expect(terminal.screen()).toMatch(/Not saved. Your text is in/);
    expect(copies()).toHaveLength(1);
    expect(existsSync(join(HOME, ".ikigai", copies()[0] ?? ""))).toBe(true);
  }
});

test("config edit saves nothing if the editor changes nothing or fails, and needs a terminal", async () => {
  const same = await openEditor(["true"]);
  expect(await same.terminal.exitCode).toBe(0);
  expect(same.terminal.screen()).toContain("Nothing was changed.");
  const failing = await openEditor(["exit 3"]);
  expect(await failing.terminal.exitCode).toBe(1);
  expect(failing.terminal.screen()).toMatch(/Nothing was changed\. The editor ".*" failed \(exit code 3\)\./s);
  for (const { HOME, copies } of [same, failing]) {
    expect(textIn(HOME)).toBe('{"model": "offline"} // mine\n');
    expect(copies()).toEqual([]);
  }
  const piped = await ikigai(["config", "edit"]);
  expect(piped.exitCode).toBe(2);
  expect(piped.stderr).toMatch(
    /Not a terminal: use ikigai config set KEY VALUE, or edit \/\S+\/config\.json and run ikigai doctor\./,
  );
});

test.each([
  ["keys", "calls"],
  ["keys.json", "calls"],
  ["theme", "colours"],
])("prints the schema of %s", async (file, property) => {
  const { stdout } = await ikigai(["config", "schema", file]);
  expect(Object.keys(JSON.parse(stdout).properties)).toContain(property);
});

test("refuses the schema of a file that has none", async () => {
  const { exitCode, stderr } = await ikigai(["config", "schema", "kyes"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("Expected config, keys or theme, got kyes.");
  expect((await ikigai(["help", "config", "schema"])).stdout).toContain("config schema [config|keys|theme]");
});

test("prints the schema that the package has for editors", async () => {
  const { stdout } = await ikigai(["config", "schema"]);
  const path = new URL("../dist/config.schema.json", import.meta.url);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(path, "utf8")));
});
