import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { schema, tool } from "./world.ts";

const packageDir = join(import.meta.dirname, "..");

test("runs the example of the README", async () => {
  const [, code = ""] = /```js\n(.*?)```/s.exec(readFileSync(join(packageDir, "README.md"), "utf8")) ?? [];
  const answer = '{"output":"hello","exit_code":0}';
  const dir = await tempDir({
    "example.mjs": code,
    ".ikigai/tools/bash-tool": tool(schema("bash"), `echo '${answer}'`),
  });
  const outfile = join(dir, "bundle.mjs");
  const alias = { "@ikigai/core": join(packageDir, "src/index.ts") };
  await build({
    entryPoints: [join(dir, "example.mjs")],
    outfile,
    alias,
    bundle: true,
    platform: "node",
    format: "esm",
  });
  const env = { ...process.env, HOME: dir };
  expect(execFileSync(process.execPath, [outfile], { cwd: dir, env, encoding: "utf8" })).toBe(
    `[ 'bash' ]\n{"tool_success":true,"result":${answer}}\n`,
  );
});
