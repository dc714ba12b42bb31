// Promise 1 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { authorizationServer, protectedServer } from "../../../../packages/mcp/test/authorization-server.ts";
import { type RunOptions, until } from "../ikigai.ts";
import { mcpHome, scriptedServer } from "./mcp-home.ts";

const echo = { name: "echo", description: "Says it", inputSchema: { type: "object", properties: {} } };
const words = ["--", process.execPath, scriptedServer];

/** A home, and a project with its place in `~/.ikigai/projects`. */
async function withProject() {
  const world = await mcpHome();
  const project = join(world.home, "project");
  mkdirSync(project);
  const place = join(world.own, world.here(project));
  const inProject = (args: readonly string[], options: RunOptions = {}) =>
    world.run(args, { cwd: project, ...options });
  const add = (...args: readonly string[]) => inProject(["mcp", "add", ...args]);
  return { ...world, project, place, inProject, add };
}

test("a server of one directory has its tools, secrets and data there, and is unknown elsewhere", async () => {
  const { home, own, project, place, run, inProject, add, names } = await withProject();
  const listFile = join(home, "list.json");
  writeFileSync(listFile, JSON.stringify([echo]));
  const script = JSON.stringify({ listFile });
  const added = await add("test", "--here", "--yes", "--env", "KEY=s3cret-value", ...words, script);
  expect([added.exitCode, added.stderr]).toEqual([0, ""]);
  expect(added.stdout).toMatch(
    /\nAdded for this directory\. Each call asks; to allow some: --allow 'mcp__test__\*'\n$/,
  );
  const tool = join(place, "tools/mcp__test__echo-tool");
  const secrets = join(place, "data/mcp-test/secrets.json");
  expect([statSync(place).mode & 0o777, statSync(secrets).mode & 0o777]).toEqual([0o700, 0o600]);
  expect([names("tools"), names("data"), existsSync(join(own, "tools.json"))]).toEqual([[], [], false]);
  const listed = async (cwd: string) =>
    JSON.parse((await run(["tool", "list", "--json"], { cwd })).stdout).filter(
      (one: { name: string }) => one.name === "mcp__test__echo",
    );
  expect(await listed(project)).toMatchObject([
    { path: tool, scope: "user", status: "loaded", package: "mcp-test", source: "mcp:test", changed: false },
  ]);
  expect(await listed(home)).toEqual([]);
  expect((await run(["mcp", "list"])).stdout).toContain("No MCP servers.");
  expect((await inProject(["mcp", "list"])).stdout).toMatch(
    /^test {2}stdio {2}1 tool {2}.* {2}ready {2}for this directory\n {2}.*scripted-server.*\n$/,
  );
  const called = await inProject(["tool", "call", "mcp__test__echo", '{"message":"hi"}']);
  expect(JSON.parse(called.stdout).result).toEqual({ output: "Echo: hi" });
  const prompt = ["-p", 'mcp__test__echo {"message": "two"}', "--allow", "mcp__test__*", "--model", "offline"];
  expect((await inProject(prompt)).stdout).toBe("Echo: two\n");
  expect((await inProject(["__complete", "mcp", "remove", ""])).stdout).toContain("test");
  expect((await run(["mcp", "test", "test"])).stderr).toContain('No MCP server "test".');
  // A rug pull: the conversation says so, and an update shows it.
  writeFileSync(listFile, JSON.stringify([{ ...echo, description: "Says more" }]));
  expect((await inProject(["mcp", "test", "test"])).exitCode).toBe(1);
  await inProject(prompt);
  expect((await inProject(prompt)).stderr).toContain("test: its tools changed (~1): ikigai mcp update test");
  expect((await inProject(["mcp", "update", "test", "--yes"])).stdout).toContain('"description": "Says more"');
  expect(readFileSync(tool, "utf8")).toContain("Says more");
  expect(JSON.parse(readFileSync(secrets, "utf8"))).toEqual({ "env.KEY": "s3cret-value" });
  writeFileSync(tool, "#!/bin/sh\n");
  expect((await inProject(["doctor"])).stdout).toContain("To restore it: ikigai mcp update test\n");
  expect((await inProject(["tool", "remove", "mcp__test__echo", "--yes"])).stderr).toContain(
    "it counts only in this directory. See: ikigai mcp list",
  );
  expect((await inProject(["mcp", "update", "--all", "--yes"])).stdout).toContain("Updated test.");
  expect((await inProject(["mcp", "remove", "test", "--yes"])).stdout).toBe("Removed test, its 1 tool and its data\n");
  expect(["tools", "data", "tools.json"].filter((name) => existsSync(join(place, name)))).toEqual([]);
});

test("a name is that of one server in a directory", async () => {
  const { add, run, project, inProject, home } = await withProject();
  const script = JSON.stringify({ tools: [echo] });
  await run(["mcp", "add", "one", "--yes", ...words, script]);
  expect(await add("one", "--here", "--yes", ...words, script)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("one has already been added. To update it: ikigai mcp update one"),
  });
  await add("two", "--here", "--yes", ...words, script);
  expect((await add("two", "--yes", ...words, script)).stderr).toContain("has already been added for this directory.");
  // Another directory does not know it. Its own tools then come first here.
  expect(await run(["mcp", "add", "two", "--yes", ...words, script])).toMatchObject({ exitCode: 0 });
  const rows = JSON.parse((await inProject(["mcp", "list", "--json"])).stdout);
  expect(rows.map(({ name, here }: { name: string; here: boolean }) => [name, here])).toEqual([
    ["two", true],
    ["one", false],
    ["two", false],
  ]);
  const shown = (await inProject(["tool", "show", "mcp__two__echo"])).stdout;
  expect(shown).toContain("/projects/");
  symlinkSync(project, join(home, "link"));
  expect((await run(["mcp", "remove", "two", "--yes"], { cwd: join(home, "link") })).exitCode).toBe(0);
  expect((await inProject(["mcp", "list"])).stdout).toMatch(/^one .*ready\n {2}.*\ntwo .*ready\n {2}.*\n$/);
});

test("the servers of a file in the project are added for its directory, others for all", async () => {
  const { home, project, inProject, run, place, names } = await withProject();
  const server = { command: process.execPath, args: [scriptedServer, JSON.stringify({ tools: [echo] })] };
  mkdirSync(join(project, ".cursor"));
  const projects = { [realpathSync(project)]: { mcpServers: { local: server } } };
  writeFileSync(join(home, ".claude.json"), JSON.stringify({ mcpServers: { all: server }, projects }));
  writeFileSync(join(project, ".cursor/mcp.json"), JSON.stringify({ mcpServers: { own: server } }));
  const first = await inProject(["mcp", "add", "--from", ".cursor/mcp.json", "--yes"]);
  expect([first.exitCode, first.stdout]).toEqual([
    0,
    expect.stringContaining("1 MCP server in .cursor/mcp.json, for this directory only:\n"),
  ]);
  const second = await inProject(["mcp", "add", "--from", "../.claude.json", "--yes"]);
  expect([second.exitCode, second.stdout.match(/for this directory only/g)]).toEqual([0, ["for this directory only"]]);
  const added = (own: string) => Object.keys(JSON.parse(readFileSync(join(own, "tools.json"), "utf8")).packages);
  expect([added(place), added(join(home, ".ikigai"))]).toEqual([["mcp-local", "mcp-own"], ["mcp-all"]]);
  // The home directory is no project.
  await run(["mcp", "remove", "all", "--yes"]);
  await run(["mcp", "add", "all", "--from", ".claude.json", "--yes"], { cwd: home });
  expect(names("tools")).toEqual(["mcp__all__echo-tool"]);
});

test("a login comes before add --here too, and doctor names what is left of a directory", async () => {
  const { project, place, inProject, run, names } = await withProject();
  const server = await protectedServer(await authorizationServer());
  const refused = await inProject(["mcp", "add", "web", server.url, "--here", "--yes"]);
  expect(refused.stderr).toContain(`Run: ikigai mcp login web ${server.url} --here\n`);
  const login = await inProject(["mcp", "login", "web", server.url, "--here"], {
    async whileRunning({ stderr }) {
      await until(() => /\n {2}http.*\n/.test(stderr()), "the URL of the login");
      await fetch(/\n {2}(http.*)\n/.exec(stderr())?.[1] ?? "");
    },
  });
  expect(login.stdout).toContain(`To add the server: ikigai mcp add web ${server.url} --here\n`);
  expect([names("data"), existsSync(join(place, "data/mcp-web/tokens.json"))]).toEqual([[], true]);
  expect(await inProject(["mcp", "add", "web", server.url, "--here", "--yes"])).toMatchObject({ exitCode: 0 });
  expect((await inProject(["doctor"])).stdout).not.toContain("to delete it");
  expect((await inProject(["mcp", "logout", "web"])).stdout).toContain("Logged out of web");
  const directory = realpathSync(project);
  rmSync(project, { recursive: true });
  expect((await run(["doctor"])).stdout).toContain(
    ` is for ${directory}, which does not exist; to delete it: rm -r ${place}\n`,
  );
});

test("others who can write there are reported", async () => {
  const { own, run } = await withProject();
  mkdirSync(join(own, "projects"), { recursive: true });
  execFileSync("chmod", ["777", join(own, "projects")]);
  expect((await run(["-p", "hi", "--model", "offline"])).stderr).toContain(
    `Other users can write to ${join(own, "projects")} (mode 777). Run: chmod 700`,
  );
});
