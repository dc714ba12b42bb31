// @module-tag sampled
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";
import { world } from "./tool-world.ts";

/** A tool that counts its calls in its data directory. */
function counter(name: string, more = ""): string {
  return `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"${name}","description":"Count","parameters":{"type":"object","properties":{}}${more}}'; exit; fi
cat > /dev/null
echo x >> "$IKIGAI_DATA_DIR/calls"
echo "{\\"output\\":\\"$(grep -c x "$IKIGAI_DATA_DIR/calls")\\"}"
`;
}

const pack = {
  "pack/package.json": '{"name":"@acme/pack","version":"1.2.0"}',
  "pack/a-tool": counter("a"),
  "pack/b-tool": counter("b"),
};

test("the tools of a package share a data directory, and it survives an update", async () => {
  const { home, run, call } = await world(pack);
  await run("add", "../pack", "--yes");
  expect([await call("a"), await call("b"), await call("a")]).toEqual(["1", "2", "3"]);
  expect(readFileSync(join(home, "data/@acme+pack/calls"), "utf8")).toBe("x\nx\nx\n");
});

test("tool remove names the data of a package, asks, and removes it", async () => {
  const { home, cwd, env, run, call } = await world(pack);
  await run("add", "../pack", "--yes");
  await call("a");
  const data = join(home, "data/@acme+pack");
  const warning = "Its data in ~/.ikigai/data/@acme+pack is removed with it and cannot be restored.\n";
  expect(await run("remove", "a")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(warning) });
  expect(await run("remove", "a", "--dry-run")).toMatchObject({ exitCode: 0, stderr: warning });
  const terminal = await openTerminal(["tool", "remove", "a"], { cwd, env });
  await terminal.waitFor("Remove a, b? y/N");
  terminal.type("n\r");
  expect(await terminal.exitCode).toBe(1);
  expect(existsSync(join(data, "calls"))).toBe(true);
  expect(await run("remove", "a", "--yes")).toMatchObject({ exitCode: 0, stderr: warning });
  expect(existsSync(data)).toBe(false);
});

test("tool remove asks nothing if a package has stored nothing, and removes the empty directory", async () => {
  const empty = counter("a").replace(/echo x.*\n/, "");
  const { home, run, call } = await world({ "a-tool": empty });
  await run("add", "../a-tool", "--yes");
  await call("a");
  expect(existsSync(join(home, "data/a"))).toBe(true);
  expect(await run("remove", "a")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(existsSync(join(home, "data/a"))).toBe(false);
});

test("tool remove keeps the data of a tool while another one of its name is left", async () => {
  const files = { "home/.ikigai/tools/a-tool": counter("a"), "dev/a-tool": counter("a") };
  const { root, home, cwd, env, call } = await world(files);
  await call("a");
  const remove = (more: Record<string, string>) =>
    ikigai(["tool", "remove", "a", "--yes"], { cwd, env: { ...env, ...more } });
  const { stderr } = await remove({ IKIGAI_TOOL_PATH: join(root, "dev") });
  expect(stderr).not.toContain("Its data");
  expect(existsSync(join(home, "data/a/calls"))).toBe(true);
});

test("tool remove removes the data of a file that ikigai did not add", async () => {
  const { home, run, call } = await world({ "home/.ikigai/tools/a-tool": counter("a") });
  await call("a");
  expect((await run("remove", "a", "--yes")).stderr).toContain("Its data in ~/.ikigai/data/a is removed with it");
  expect(existsSync(join(home, "data/a"))).toBe(false);
});

test("doctor names the data of tools that are not here, but not that of tools, services and projects in use", async () => {
  const { home, cwd, env, run, call } = await world({
    ...pack,
    "home/.ikigai/tools/c-tool": counter("c"),
    "home/.ikigai/tools/d-tool": counter("d", ',"ikigai":{"service":"s"}'),
    "home/.ikigai/data/gone/token": "",
    "home/.ikigai/data/service-gone/token": "",
    "home/.ikigai/data/project-0123456789ab-x/token": "",
  });
  await run("add", "../pack", "--yes");
  for (const name of ["a", "c", "d"]) await call(name);
  const { stdout } = await ikigai(["doctor"], { cwd, env });
  expect(stdout).toContain(
    `Data of tools that are not here\n~ ~/.ikigai/data/gone; to delete it: rm -r ${home}/data/gone\n~ ~/.ikigai/data/service-gone; to delete it: rm -r ${home}/data/service-gone\n\n`,
  );
});

test("a replayed call shows its data directory before it runs, and gets it", async () => {
  const { home, cwd, env } = await world({ "home/.ikigai/tools/a-tool": counter("a") });
  const model = await startModel([{ calls: [{ name: "a", arguments: {} }] }]);
  const prompt = ["-p", "count", "--allow", "a", "--model", "openai-compatible/m"];
  await ikigai(prompt, { cwd, env: { ...env, ...model.env } });
  const { stderr } = await ikigai(["replay", "1"], { cwd, env });
  expect(stderr).toContain(`IKIGAI_DATA_DIR=${home}/data/a `);
  await ikigai(["replay", "1", "--yes"], { cwd, env });
  expect(readFileSync(join(home, "data/a/calls"), "utf8")).toBe("x\nx\n");
  const { calls } = JSON.parse((await ikigai(["tool", "log", "--json"], { cwd, env })).stdout);
  expect(execFileSync("sh", ["-c", calls[0].command], { encoding: "utf8" })).toBe('{"output":"3"}\n');
});
