// Promise 2 of SECURITY.md.
// @module-tag sampled
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

const effects =
  "The sandbox, commands in the background and saved outputs fail, and programs that need temporary files.";

test.each([
  [
    "missing",
    (root: string) => `${root}/missing does not exist. ${effects} Run: mkdir -p ${root}/missing, or set TMPDIR`,
  ],
  [
    "file",
    (root: string) => `${root}/file: cannot write there: it is not a directory. ${effects} To fix it, set TMPDIR`,
  ],
])("doctor says what fails without a temporary directory: %s", async (name, problem) => {
  const root = await tempDir({ file: "" });
  const { exitCode, stdout } = await ikigai(["doctor"], { env: { HOME: await tempDir(), TMPDIR: join(root, name) } });
  expect(stdout).toContain(`! ${problem(root)} to a directory that you can write\n`);
  expect(stdout).not.toMatch(/\/(?:missing|file): .* free$/m);
  expect(exitCode).toBe(1);
});

test("doctor says that no temporary file can be written", async () => {
  // A file system that even root cannot write to.
  const { exitCode, stdout } = await ikigai(["doctor"], { env: { HOME: await tempDir(), TMPDIR: "/proc" } });
  expect(stdout).toMatch(/^! \/proc: cannot write there: .*\. The sandbox, /m);
  expect(exitCode).toBe(1);
});

test("doctor names programs and instructions that others can write", async () => {
  const HOME = await tempDir({ ".ikigai/hooks/prompt/h": "#!/bin/sh\n", ".ikigai/AGENTS.md": "Be brief.\n" });
  const paths = ["hooks/prompt/h", "AGENTS.md"].map((name) => join(HOME, ".ikigai", name));
  for (const path of paths) chmodSync(path, 0o777);
  const { stdout } = await ikigai(["doctor"], { env: { HOME } });
  const [hook, instructions] = paths;
  expect(stdout).toContain(`~ ${hook} can be written by others (mode 777). To fix it: chmod go-w ${hook}\n`);
  const open = "it can be written by others (mode 777). If you trust its content: chmod go-w";
  expect(stdout).toContain(`~ Skipped ${instructions}: ${open} ${instructions}\n`);
});

test("doctor lists the text that a killed config edit leaves, and says what it is", async () => {
  const nameOf = (pid: number) => `ikigai-tmp.${pid}.config.json`;
  const files = { [`.ikigai/${nameOf(1_999_999_999)}`]: "{}", [`.ikigai/${nameOf(process.pid)}`]: "{}" };
  const HOME = await tempDir(files);
  const { stdout } = await ikigai(["doctor"], { env: { HOME } });
  const left = `~/.ikigai/${nameOf(1_999_999_999)} (from ikigai config edit, not saved)`;
  expect(stdout).toContain(`Leftovers\n  ${left}\n`);
  expect(stdout).not.toContain(nameOf(process.pid));
});
