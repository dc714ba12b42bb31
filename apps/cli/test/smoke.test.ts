import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

// Runs each program once, for a Node on which all tests would take too long.
const root = fileURLToPath(new URL("../../..", import.meta.url));
const libexec = fileURLToPath(new URL("../libexec/ikigai", import.meta.url));
const tools = readdirSync(libexec).filter((name) => name.endsWith("-tool"));

/** The built programs of every package other than tools, with their paths. */
const programs = ["packages", "apps"].flatMap((group) =>
  readdirSync(join(root, group)).flatMap((folder) => {
    const { bin = {} } = JSON.parse(readFileSync(join(root, group, folder, "package.json"), "utf8"));
    const built = Object.entries<string>(bin).filter(
      ([name, path]) => path.startsWith("./dist/") && !tools.includes(name),
    );
    return built.map(([name, path]) => [name, join(root, group, folder, path)] as const);
  }),
);

test.each(tools)("%s prints its schema, and refuses a call without input", async (name) => {
  const cwd = await tempDir();
  const run = (args: string[]) => spawnSync(join(libexec, name), args, { cwd, input: "", encoding: "utf8" });
  const schema = run(["--schema"]).stdout;
  expect(JSON.parse(schema)).toMatchObject({ name: expect.any(String), parameters: { type: "object" } });
  expect(schema, "people read them in one order").not.toMatch(/"required":\[[^\]]*\],"properties":/);
  expect(run([])).toMatchObject({ status: 1, stdout: "", stderr: expect.stringMatching(/^Expected /) });
});

test.each(programs)("%s prints its help", async (_, path) => {
  const { status, stdout } = spawnSync(path, ["--help"], { cwd: await tempDir(), encoding: "utf8" });
  expect([status, stdout]).toEqual([0, expect.stringMatching(/usage/i)]);
});

test("ikigai calls a tool, directly and for a model", async () => {
  const cwd = await tempDir({ "a.txt": "one\n" });
  const { stdout } = await ikigai(["tool", "call", "bash", '{"command":"cat a.txt"}'], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ tool_success: true, result: { output: "one" } });
  const asked = await ikigai(["--model", "offline", "-p", "run echo hello", "--allow", "bash"], { cwd });
  expect(asked).toMatchObject({ exitCode: 0, stdout: "hello\n" });
});
