// Promise 1 of SECURITY.md.
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findHooks, type Hook, runHook } from "../src/hooks.ts";
import { hookOptions, hookWorld } from "./hook-files.ts";
import { schema, tool, world } from "./world.ts";

const bash = (script: string) => script.replace("#!/bin/sh", "#!/bin/bash");

test.each<[string, (project: string) => string]>([
  ["a relative path", () => "./env.sh"],
  ["a path in the project", (project) => join(project, "env.sh")],
  ["a symlink into the project", (project) => join(project, "../link.sh")],
  ["a path that bash expands", () => "$PWD/env.sh"],
  ["a path with a command that bash runs", () => "/dev/null$(. ./env.sh)"],
])("a tool that is a bash script runs no file of the project through BASH_ENV: %s", async (_, value) => {
  const { root, projectDir, call } = await world({
    "home/tools/look-tool": { content: bash(tool(schema("look"))), mode: 0o755 },
    "project/env.sh": 'touch "$RAN_FILE"\n',
    "link.sh": { link: "project/env.sh" },
  });
  const env = { ...process.env, BASH_ENV: value(projectDir), RAN_FILE: join(root, "ran") };
  const envelope = await call("look", env);
  expect([envelope.tool_success, existsSync(env.RAN_FILE)]).toEqual([true, false]);
});

test("nor does a hook", async () => {
  const made = await hookWorld({
    "stop/audit": { content: "#!/bin/bash\ncat > /dev/null\necho audited\n", mode: 0o755 },
  });
  const [hook] = (await findHooks(made).find("stop")).hooks as [Hook];
  const env = { ...process.env, BASH_ENV: "$(touch ran)" };
  expect((await runHook(hook, "{}", hookOptions(made, { env }))).stdout).toBe("audited\n");
  expect(existsSync(join(made.projectDir, "ran"))).toBe(false);
});

test("a hook runs no program of the project that PATH finds", async () => {
  const made = await hookWorld({ "stop/audit": { content: "#!/bin/sh\ncat > /dev/null\nuname\n", mode: 0o755 } });
  mkdirSync(join(made.projectDir, "bin"));
  writeFileSync(join(made.projectDir, "bin/uname"), "#!/bin/sh\necho mine\n", { mode: 0o755 });
  const [hook] = (await findHooks(made).find("stop")).hooks as [Hook];
  for (const directory of ["./bin", join(made.projectDir, "bin")]) {
    const env = { ...process.env, PATH: `${directory}:${process.env.PATH}` };
    expect((await runHook(hook, "{}", hookOptions(made, { env }))).stdout).not.toBe("mine\n");
  }
});

test("a file from elsewhere stays: some systems set up every script with one", async () => {
  const { root, call } = await world({
    "home/tools/look-tool": {
      content: bash(tool(schema("look"), "cat > /dev/null; echo '{\"output\":\"'$GREETING'\"}'")),
      mode: 0o755,
    },
    "site.sh": "GREETING=hello\n",
  });
  const env = { ...process.env, BASH_ENV: join(realpathSync(root), "site.sh") };
  const envelope = await call("look", env);
  expect(envelope).toMatchObject({ result: { output: "hello" } });
});
