// @module-tag sampled
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

/** Two trusted projects, the second with a tool, a hook and an added tool, and the file with these decisions. */
async function stage() {
  const HOME = await tempDir();
  const schema = { name: "z", description: "Z", parameters: { type: "object", properties: {} } };
  const script = `#!/bin/sh\necho '${JSON.stringify(schema)}'\n`;
  const other = await tempDir({ ".ikigai/tools/x-tool": script });
  const files = { ".ikigai/tools/y-tool": script, ".ikigai/hooks/prompt/h": "#!/bin/sh\n" };
  const cwd = await tempDir({ ...files, "z-tool": script });
  const run = (...args: readonly string[]) => ikigai(args, { cwd, env: { HOME } });
  for (const project of [other, cwd]) {
    const { exitCode } = await ikigai(["trust", "--yes"], { cwd: project, env: { HOME } });
    expect(exitCode).toBe(0);
  }
  return { HOME, cwd, run, file: join(HOME, ".ikigai/trust.json") };
}

function damage(file: string): void {
  writeFileSync(file, "{");
}

function replaceByDirectory(file: string): void {
  rmSync(file);
  mkdirSync(file);
}

test("a file of decisions that others can write is named wherever they would count", async () => {
  const { HOME, cwd, run, file } = await stage();
  const before = readFileSync(file, "utf8");
  chmodSync(file, 0o666);
  const open = `${file} can be written by others (mode 666). Check what it approves, then run: chmod go-w ${file}`;
  for (const args of [["trust", "--show"], ["trust"], ["trust", "--yes"]] as const)
    expect((await run(...args)).stdout).toContain(`Cannot trust it: ${open}\n`);
  expect(await run("trust", "--yes")).toMatchObject({ exitCode: 1 });
  expect(await run("trust", "--revoke")).toMatchObject({ exitCode: 1, stderr: `ikigai: ${open}\n` });
  const asked = await run("-p", "hello", "--model", "offline");
  expect(asked.stderr).toContain(`1 project tool not trusted: y — ${open}\n`);
  expect(asked.stderr).toContain(`1 project hook not trusted: prompt/h — ${open}\n`);
  expect((await run("tool", "show", "y")).stderr).toContain(`The project tool y is not trusted — ${open}\n`);
  const options = { cwd, env: { HOME }, typed: "/trust\n/refresh\n" };
  const { stdout } = await ikigai(["--model", "offline"], options);
  expect(stdout).toContain(`Cannot trust it: ${open}\n`);
  expect(stdout).toContain(`1 project tool not trusted: y — ${open}\n`);
  expect(await run("doctor")).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining(`! No project is trusted. ${open}\n`),
  });
  expect(readFileSync(file, "utf8")).toBe(before);
});

test.each([
  ["is damaged", damage],
  ["is not a regular file. Move it away.", replaceByDirectory],
])("no command that adds or removes a tool loses decisions: the file %s", async (problem, spoil) => {
  const { run, file } = await stage();
  spoil(file);
  const added = await run("tool", "new", "fresh", "--lang", "bash", "--project");
  expect(added.stderr).toContain(`Not in use: the project cannot be trusted. ${file} ${problem}`);
  expect((await run("tool", "add", "./z-tool", "--project", "--yes")).stderr).toContain(
    `Not in use: it cannot be trusted. ${file} ${problem}`,
  );
  const removed = await run("tool", "remove", "y", "--project", "--yes");
  expect(removed.stderr).toContain(`The project cannot be trusted. ${file} ${problem}`);
  expect((await run("trust", "--yes")).stdout).toContain(`Cannot trust it: ${file} ${problem}`);
});
