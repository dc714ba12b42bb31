// Promise 6 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

/** A tool that reports every run, also with --schema. */
const marking = `#!/bin/sh
touch "$HOME/ran"
[ "$1" = --schema ] && echo '{"name":"mark","description":"","parameters":{"type":"object","properties":{}}}' && exit
echo '{}'
`;

async function openHome(config: string, mode = 0o600) {
  const HOME = await tempDir({ ".ikigai/tools/mark-tool": { content: marking, mode: 0o755 } });
  const path = join(HOME, ".ikigai/config.json");
  execFileSync("tee", [path], { input: config, stdio: ["pipe", "ignore", "inherit"] });
  chmodSync(path, mode);
  return { HOME, path };
}

const running = [
  ["-p", "mark", "--model", "offline", "--permission-mode", "allow"],
  ["--model", "offline", "--permission-mode", "allow"],
  ["tool", "call", "mark", "{}"],
  ["tool", "list"],
  ["tool", "show", "mark"],
  ["tool", "check", "mark"],
  ["tool", "add", "./nothing", "--yes"],
  ["tool", "update", "--yes"],
  ["replay", "1", "--yes"],
];

test.each(running)("runs nothing with a configuration that cannot be read: ikigai %s %s", async (...args) => {
  const { HOME, path } = await openHome('{\n  "sandbox": {"enabled": "true"}\n}\n');
  const { exitCode, stdout, stderr } = await ikigai(args, { env: { HOME }, stdin: "mark\n!touch ran\n" });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toBe(`ikigai: The configuration cannot be used, so nothing was run.
${path}:2:26: Expected "sandbox.enabled" to be true or false, got "true".
    "sandbox": {"enabled": "true"}
                           ^
Check it again with: ikigai doctor
`);
  expect(existsSync(join(HOME, "ran"))).toBe(false);
});

test.each([
  ['{"sandbox":{"enabled":true}', 0o600, ":1:28: Expected a closing brace }."],
  ['{"sandbox":{"enable":true}}', 0o600, ':1:13: Unknown setting "sandbox.enable". Did you mean "enabled"?'],
  [
    '{"permission":{"rules":[{"deny":"bash(rm *"}]}}',
    0o600,
    ':1:43: "bash(rm *" is not a rule: Missing ")" at the end of the rule.',
  ],
  [
    '{"permission":{"rules":[{"allow":"bash( *)"}]}}',
    0o600,
    ':1:40: "bash( *)" is not a rule: Unexpected whitespace at the beginning of the pattern. Write bash(npm test*), or bash',
  ],
  ['{"permissions":{"rules":[{"deny":"bash"}]}}', 0o600, ':1:2: Unknown setting "permissions".'],
  ['{"permission":{"mode":"allow"}}', 0o666, ": This file can be written by others (mode 666)."],
])("refuses %s with mode %o", async (config, mode, problem) => {
  const { HOME, path } = await openHome(config, mode);
  const cwd = await tempDir();
  const args = ["-p", "run touch ran", "--model", "offline", "--permission-mode", "allow"];
  const { exitCode, stderr } = await ikigai(args, { cwd, env: { HOME } });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`${path}${problem}`);
  expect(existsSync(join(cwd, "ran"))).toBe(false);
});

test("doctor reports such a configuration and starts no tool", async () => {
  const { HOME, path } = await openHome('{"sandbox": {"enabled": 1}}');
  const { exitCode, stdout, stderr } = await ikigai(["doctor"], { env: { HOME } });
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
  expect(stdout).toContain(`! ${path}:1:25: Expected "sandbox.enabled" to be true or false, got 1.\n`);
  expect(stdout).toContain("Tools, models and the sandbox were not checked: fix the configuration first.\n");
  expect(existsSync(join(HOME, "ran"))).toBe(false);
});

test.each([["--help"], ["--version"], ["help", "config"], ["trust", "--show"], ["completion", "bash"]])(
  "works with any configuration: ikigai %s",
  async (...args) => {
    const { HOME } = await openHome("{broken");
    expect(await ikigai(args, { env: { HOME } })).toMatchObject({ exitCode: 0, stderr: "" });
  },
);

test("warns about other bad settings and continues", async () => {
  const { HOME, path } = await openHome('{"model": 5, "permission": {"mode": "allow"}}');
  const { exitCode, stdout, stderr } = await ikigai(["-p", "run echo hi", "--model", "offline"], { env: { HOME } });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "hi\n" });
  expect(stderr).toContain(`${path}:1:11: Expected "model" to be a string`);
});

test("reads a sandbox setting between comments and trailing commas", async () => {
  const { HOME } = await openHome('// mine\n{"sandbox": {"enabled": true,},}\n');
  const { stdout } = await ikigai(["doctor"], { env: { HOME } });
  expect(stdout).toMatch(/^ {2}sandboxed tools: .*\bbash, /m);
});

test("the package has a schema for editors", () => {
  const path = fileURLToPath(new URL("../dist/config.schema.json", import.meta.url));
  const schema = JSON.parse(readFileSync(path, "utf8"));
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(["$schema", "model", "permission", "sandbox"]));
});
