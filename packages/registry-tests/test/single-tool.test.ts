import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { newMachine } from "./machine.ts";
import { released } from "./released.ts";
import { root } from "./repository.ts";

const { registry } = await released();

test("the commands of grep-tool's README work on a machine without ikigai", async () => {
  const user = await newMachine([`registry=${registry}`]);
  const [commands = ""] = shellBlocks("packages/grep-tool/README.md");
  expect(commands).toMatch(/^npm i -g @ikigai\/grep-tool$/m);
  const cwd = await tempDir({ "src/deep/a.ts": "one\n// TODO two\n", "src/b.ts": "// FIXME three\n" });
  const { stdout } = await user.shell(commands, { cwd });
  expect(JSON.parse(stdout.slice(stdout.lastIndexOf("\n{") + 1))).toEqual({
    output: "src/b.ts:1: // FIXME three\nsrc/deep/a.ts:2: // TODO two",
    count: 2,
  });
});

test("npx runs a tool that was never installed", async () => {
  const user = await newMachine([`registry=${registry}`]);
  const stdin = '{"command": "echo $((6 * 7))"}';
  const { stdout } = await user.run("npx", ["--yes", "@ikigai/bash-tool"], { stdin });
  expect(JSON.parse(stdout)).toEqual({ output: "42", exit_code: 0 });
});

function shellBlocks(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/^```sh registry\n(.*?)^```/gms)].map(([, block]) => String(block));
}
