import { execFileSync } from "node:child_process";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { isOnPath } from "./is-on-path.ts";

const hasPython = isOnPath("python3");

test.runIf(hasPython)("a tool with a module keeps the project's trust when it is called (needs python3)", async () => {
  const tool = `#!/usr/bin/env python3
import json, os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "lib"))
import helper
schema = {"name": "greet", "description": "Greet", "parameters": {"type": "object", "properties": {}}}
print(json.dumps(schema if "--schema" in sys.argv else {"output": helper.text}))
`;
  const files = { ".ikigai/tools/greet-tool": tool, ".ikigai/tools/lib/helper.py": "text = 'hi'\n" };
  const options = { cwd: await tempDir(files), env: { HOME: await tempDir() } };
  expect((await ikigai(["trust", "--yes"], options)).exitCode).toBe(0);
  for (let call = 1; call <= 2; call += 1)
    expect(await ikigai(["tool", "call", "greet", "{}"], options)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('"hi"'),
    });
});

test.runIf(hasPython)("so does a new tool that its author tests (needs python3)", async () => {
  const options = { cwd: await tempDir(), env: { HOME: await tempDir() } };
  const { stdout } = await ikigai(["tool", "new", "snake", "--lang", "python", "--json", "--project"], options);
  const [, command = ""] = /^Test it: +(.*)$/m.exec(stdout) ?? [];
  execFileSync("sh", ["-c", command], { cwd: options.cwd, stdio: "pipe" });
  expect(await ikigai(["tool", "call", "snake", '{"text":"a b"}'], options)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('"words": 2'),
  });
});
