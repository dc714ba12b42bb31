// @module-tag sampled
import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

/** Types lines at the prompt of line mode. */
async function typed(lines: readonly string[], env: NodeJS.ProcessEnv = {}, args: readonly string[] = []) {
  const HOME = await tempDir();
  return ikigai(["--model", "offline", ...args], { env: { HOME, ...env }, typed: `${lines.join("\n")}\n` });
}

/** A compatible server that lists these models and has no other answer. */
async function listing(...names: readonly string[]): Promise<string> {
  const server = createServer((request, response) => {
    if (!request.url?.endsWith("/models")) return response.writeHead(404).end();
    return response.end(JSON.stringify({ data: names.map((id) => ({ id })) }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test("/model refuses a name that the server does not list, and says the nearest one", async () => {
  const OPENAI_COMPATIBLE_BASE_URL = await listing("qwen3-coder", "other");
  const { stdout } = await typed(["/model qwen3-codr", "/model", "/model other", "/model"], {
    OPENAI_COMPATIBLE_BASE_URL,
  });
  expect(stdout).toContain("The server lists no model qwen3-codr. Did you mean openai-compatible/qwen3-coder?");
  expect(stdout).toContain("In a shell, ikigai models lists the models.");
  expect(stdout).toMatch(/Model: offline\/plain-requests\n[\s\S]*Model: openai-compatible\/other\n/);
});

test("/model refuses a text that is not a model, and a provider without a key", async () => {
  const { stdout } = await typed(["/model foo", "/model antropic/x", "/model openai/gpt-5.5", "/model"]);
  expect(stdout).toContain('Expected a model as provider/model, got "foo".');
  expect(stdout).toContain("Did you mean anthropic/x?\nIn a shell, ikigai models lists the models.");
  expect(stdout).toContain("OpenAI needs an API key: run ikigai login openai");
  expect(stdout).toContain("Model: offline/plain-requests");
});

test("/permissions names the modes and the nearest one, and changes the mode in line mode too", async () => {
  const { stdout } = await typed(["/permissions yolo", "/permissions", "/permissions plan"]);
  expect(stdout).toContain('No mode "yolo". Did you mean /permissions allow?');
  for (const mode of ["ask", "edits", "auto", "plan", "allow", "deny"])
    expect(stdout).toMatch(new RegExp(`\\n {2}${mode} +`));
  expect(stdout).toMatch(/\nMode: ask\n[\s\S]*\nMode: plan\n/);
});

test("/permissions takes a mode as it shows it, and no other words", async () => {
  const { stdout } = await typed([
    "/permissions allow edits",
    "/permissions",
    "/permissions allow bash",
    "/permissions",
  ]);
  expect(stdout).toMatch(/\nMode: allow edits\n[\s\S]*\nNo mode "allow bash"\.[\s\S]*\nMode: allow edits\n/);
  expect(stdout).not.toContain("Mode: allow all");
});

test("/compact works in line mode", async () => {
  const model = await startModel([{ text: "Fine." }, { text: "The summary." }]);
  const end = await typed(["hello", "/compact the colour"], model.env, ["--model", "openai-compatible/m"]);
  expect(end.stdout).toMatch(/Compacted .* tokens\. The session file keeps all messages\./);
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("Above all keep: the colour");
});

test("/help lists the topics in line mode", async () => {
  const { stdout } = await typed(["/help"]);
  expect(stdout).toMatch(/\n\/help TOPIC explains:\n {2}tools +\S[\s\S]*\n {2}exit-codes +Exit codes\n/);
});

test("/help suggests the nearest topic", async () => {
  const { stdout } = await typed(["/help permision"]);
  expect(stdout).toMatch(/No command or topic "permision"\. Topics: .*\. Did you mean permissions\?\n/);
});

test.each([
  ["nosuch", "--allow nosuch: no tool is called nosuch."],
  ["mcp__files__read", "--allow mcp__files__read: no tool is called mcp__files__read."],
  ["mcp_*", "--allow mcp_*: no tool's name begins with mcp_."],
])("warns on stderr about --allow %s, and works", async (rule, warning) => {
  const env = { HOME: await tempDir() };
  const args = ["-p", "run echo hi", "--model", "offline", "--allow", "bash", "--allow", "file_*", "--allow", rule];
  const { exitCode, stderr } = await ikigai(args, { env });
  expect(exitCode).toBe(0);
  expect(stderr).toContain(warning);
  expect(stderr.match(/--allow/g)).toHaveLength(1);
  expect((await typed(["run echo hi"], {}, ["--allow", rule])).stdout).toContain(warning);
});

test.each([
  ["bassh(npm test)", "no tool is called bassh. Did you mean bash?"],
  ["Edit", "no tool is called Edit. Did you mean file_edit?"],
  ["WebFetch(domain:docs.rs)", "no tool is called WebFetch. Did you mean web_fetch?"],
  ["shell(rm*)", "no tool is called shell. Did you mean bash?"],
  ["bash(rm:*)", '":" is part of the text here. For all that begins with "rm": bash(rm*).'],
  ["Bash(rm:*)", 'For all that begins with "rm": bash(rm*).'],
])("a rule %s stops the start, wherever it is", async (rule, why) => {
  for (const verdict of ["allow", "ask", "deny"]) {
    const HOME = await tempDir({
      ".ikigai/config.json": `{\n  "permission": { "mode": "allow", "rules": [\n    { "${verdict}": "${rule}" }\n  ] }\n}\n`,
    });
    for (const args of [
      ["-p", "run touch x", "--model", "offline"],
      ["--model", "offline"],
    ]) {
      const end = await ikigai(args, { env: { HOME }, stdin: "run touch x\n" });
      expect(end.exitCode, end.stderr).toBe(2);
      expect(end.stderr).toContain(why);
      expect(end.stderr).toMatch(/config\.json:3:\d+: /);
      expect(end.stdout).not.toContain("touch");
    }
  }
  const cwd = await tempDir();
  const id = createHash("sha256").update(realpathSync(cwd)).digest("hex").slice(0, 16);
  const saved = JSON.stringify({ permission: { rules: [{ deny: rule }] } });
  const HOME = await tempDir({ [`.ikigai/projects/${id}/config.json`]: saved });
  const here = await ikigai(["-p", "run touch x", "--model", "offline"], { cwd, env: { HOME } });
  expect(here).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(why) });
  expect(here.stderr).toContain(`projects/${id}/config.json:1:`);
  for (const args of [["-p", "run echo hi"], []]) {
    const env = { HOME: await tempDir() };
    const end = await ikigai([...args, "--model", "offline", "--allow", rule], { env, stdin: "run echo hi\n" });
    expect(end).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(why) });
  }
});

test("doctor prints one command that removes leftovers, at most five at a time", async () => {
  const { checkLeftovers } = await import("../src/commands/doctor/check-machine.ts");
  const places = { projectDir: "/p", home: "/h/.ikigai", userHome: "/h", directories: [], env: {} };
  const texts = (files: string[]) => checkLeftovers({ processes: [], files }, places).lines.map(({ text }) => text);
  expect(texts(["/tmp/o ne"])).toEqual(["/tmp/o ne", "to remove it: rm -r '/tmp/o ne'"]);
  const files = Array.from({ length: 6 }, (_, index) => `/tmp/ikigai-${index}-a b`);
  const quoted = files.map((path) => `'${path}'`);
  const five = quoted.slice(0, 5).join(" ");
  expect(texts(files.slice(0, 5)).at(-1)).toBe(`to remove them: rm -r ${five}`);
  expect(texts(files)).toHaveLength(7);
  expect(texts(files).at(-2)).toBe("and 1 more");
  expect(texts(files).at(-1)).toBe(`to remove these 5 (then run ikigai doctor again): rm -r ${five}`);
});

test("doctor reports mistakes in keys.json and in themes, and a theme that is missing", async () => {
  const HOME = await tempDir({
    ".ikigai/config.json": { content: '{"model": "offline", "screen": {"theme": "nope"}}', mode: 0o600 },
    ".ikigai/keys.json": { content: '{"foo": ["f5"]}', mode: 0o600 },
    ".ikigai/themes/bad.json": { content: "{", mode: 0o600 },
  });
  const { stdout } = await ikigai(["doctor"], { env: { HOME } });
  expect(stdout).toContain('keys.json:1:2: Unknown action "foo". Known actions here: calls,');
  expect(stdout).toContain("~ There is no theme nope.");
  expect(stdout).toMatch(/~ .*themes\/bad\.json:1:2: /);
  const set = await ikigai(["config", "set", "screen.theme", "nah"], { env: { HOME } });
  expect(set).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("There is no theme nah.") });
  const american = await ikigai(["config", "set", "screen.theme", "color-blind-dark"], { env: { HOME } });
  expect(american.exitCode).toBe(0);
});
