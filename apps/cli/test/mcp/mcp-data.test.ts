// Promise 9 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mcpHome } from "./mcp-home.ts";

const files = ["changed.json", "secrets.json", "tokens.json"];

/** A server can write to its data directory, also from the sandbox; ikigai reads it outside. */
test.each([
  ["FIFOs", (path: string) => void execFileSync("mkfifo", [path])],
  ["directories", (path: string) => mkdirSync(path)],
  [
    "files of a terabyte",
    (path: string) => {
      writeFileSync(path, "{");
      truncateSync(path, 2 ** 40);
    },
  ],
  ["JSON of another kind", (path: string) => writeFileSync(path, '{"added":{"length":1},"env.KEY":7,"server":[]}')],
])("a server that puts %s into its data directory stops no command", async (_, put) => {
  const { add, run, own } = await mcpHome();
  await add({}, "--env", "KEY=value");
  const directory = join(own, "data", "mcp-test");
  for (const name of files) {
    rmSync(join(directory, name), { force: true });
    put(join(directory, name));
  }
  expect(await run(["mcp", "list"])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("test  stdio") });
  const prompt = ["-p", "run echo hi", "--allow", "bash", "--model", "offline"];
  expect(await run(prompt)).toMatchObject({ exitCode: 0, stdout: "hi\n" });
  expect(await run(["mcp", "remove", "test", "--yes"])).toMatchObject({ exitCode: 0 });
});
