// Promise 10 of SECURITY.md.
// @module-tag sampled
import { appendFileSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { readRecord, world } from "./tool-world.ts";

const skill = { "skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Fill PDF forms\n---\nUse pdftk.\n" };
const command = { "commands/say.md": "---\ndescription: Say it\n---\nrun echo packaged $ARGUMENTS\n" };
const parts = {
  ...skill,
  ...command,
  "agents/critic.md": "---\nname: critic\ndescription: Reviews changes\n---\nBe critical.\n",
  "hooks/before-call/bash/guard": {
    content: '#!/bin/sh\nif grep -q forbidden; then echo "not this" >&2; exit 2; fi\n',
    mode: 0o755,
  },
};

const tool = { "hi-tool": { content: "#!/bin/sh\n# @describe Greet\necho hi\n", mode: 0o755 } };

type Files = Parameters<typeof world>[0];

function inFolder(folder: string, files: NonNullable<Files>): NonNullable<Files> {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));
}

/** A user with a package beside the project. */
async function place(files: NonNullable<Files>, more: Files = {}) {
  const manifest = { "package.json": '{"name":"@acme/kit","version":"1.0.0"}' };
  const made = await world({ ...inFolder("kit", { ...manifest, ...files }), ...more });
  const { cwd, env } = made;
  return {
    ...made,
    print: (prompt: string) => ikigai(["-p", prompt, "--model", "offline", "--allow", "bash"], { cwd, env }),
    doctor: async () => (await ikigai(["doctor"], { cwd, env })).stdout,
    packaged: () => join(made.home, "packages/@acme/kit", readdirSync(join(made.home, "packages/@acme/kit"))[0] ?? ""),
  };
}

test("adds skills, hooks, commands and agents with the tools, says what each does, and removes all together", async () => {
  const { root, home, run, print, doctor } = await place({ ...parts, ...tool });
  const { exitCode, stdout } = await run("add", "../kit", "--yes");
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringContaining(`
  tool    hi  ~/.ikigai/tools/hi-tool, user: in every project
  hook    before-call/bash/guard  runs to allow, ask about or deny a call, or change its arguments
  skill   pdf                     Fill PDF forms
  command /say                    Say it
  agent   critic                  Reviews changes
Nothing in it has run yet.
`),
  ]);
  const names = "hook before-call/bash/guard, skill pdf, command /say, agent critic";
  expect(stdout).toContain(`Added @acme/kit 1.0.0: hi, ${names}\n`);
  expect((await run("list")).stdout).toContain(`  @acme/kit 1.0.0 from ${join(root, "kit")}: ${names}\n`);
  expect((await print("/say a")).stdout).toBe("packaged a\n");
  expect((await print("run echo forbidden")).stdout + (await print("run echo forbidden")).stderr).toContain("not this");
  const found = await doctor();
  for (const line of ["  skill pdf ~", "  agent critic ~", "  before-call bash ~"]) expect(found).toContain(line);
  expect((await run("remove", "@acme/kit")).stdout).toBe(`Removed @acme/kit 1.0.0: hi, ${names}\n`);
  expect((await print("/say a")).exitCode).toBe(2);
  expect(await doctor()).not.toContain("pdf");
  expect([existsSync(join(home, "packages")), existsSync(join(home, "tools.json"))]).toEqual([false, false]);
});

test.each(["skills/pdf/SKILL.md", "commands/say.md", "agents/critic.md", "hooks/before-call/bash/guard", "lib/new"])(
  "uses no part of a package whose %s has changed, until it is restored",
  async (path) => {
    const { cwd, env, run, print, doctor, packaged } = await place({ ...parts, "lib/new": "x" });
    await run("add", "../kit", "--yes");
    appendFileSync(join(packaged(), path), "\n");
    const advice = "the package @acme/kit has changed since you added it. To restore it: ikigai tool update @acme/kit";
    const said = await print("/say a");
    expect([said.exitCode, said.stderr]).toEqual([2, expect.stringContaining(advice)]);
    const found = await doctor();
    expect(found.split(advice)).toHaveLength(5);
    const { env: server, requests } = await startModel([
      { calls: [{ name: "bash", arguments: { command: "echo ran" } }] },
      { text: "end" },
    ]);
    const { stderr } = await ikigai(["-p", "x", "--model", "openai-compatible/m", "--allow", "bash"], {
      cwd,
      env: { ...env, ...server },
    });
    expect(stderr).toContain(advice);
    expect(JSON.stringify(requests)).not.toMatch(/Fill PDF|Reviews changes|"ran/);
    expect((await run("list")).stdout).toContain("agent critic (not used: the package has changed)\n");
    expect((await run("update", "--yes")).stdout).toContain("Restored @acme/kit 1.0.0: hook before-call/bash/guard,");
    expect((await print("/say a")).stdout).toBe("packaged a\n");
  },
);

test("what the user has of the same name is used, and said before the question", async () => {
  const { run, print } = await place(parts, {
    "home/.ikigai/commands/say.md": "run echo mine\n",
    "home/.ikigai/skills/pdf/SKILL.md": skill["skills/pdf/SKILL.md"],
  });
  const { stdout } = await run("add", "../kit", "--dry-run");
  expect(stdout).toContain(
    `Fill PDF forms\n          Not used: your ~/.ikigai/skills/pdf/SKILL.md overrides it.\n  command /say `,
  );
  expect(stdout).toContain("Say it\n          Not used: your ~/.ikigai/commands/say.md overrides it.\n");
  await run("add", "../kit", "--yes");
  expect((await print("/say")).stdout).toBe("mine\n");
});

test("a package needs no tool; an update shows how its parts differ", async () => {
  const { root, home, run, print } = await place(command);
  expect((await run("add", "../kit", "--yes")).stdout).toContain("Added @acme/kit 1.0.0: command /say\n");
  expect(readRecord(home)["@acme/kit"]).toMatchObject({ folder: "", tools: {} });
  appendFileSync(join(root, "kit/commands/say.md"), "run echo twice\n");
  const { stdout } = await run("update", "@acme/kit", "--yes");
  expect(stdout).toContain("  changed commands/say.md\n    + run echo twice\n");
  expect((await print("/say a")).stdout).toContain("packaged a\n");
  expect((await run("remove", "@acme/kit")).stdout).toBe("Removed @acme/kit 1.0.0: command /say\n");
});

test("what a project's package brings is the project's own, and is trusted, changed and removed with it", async () => {
  const { root, cwd, env, run, print, doctor } = await place(
    { ...parts, "skills/pdf/scripts/fill-tool": tool["hi-tool"] },
    { "project/.ikigai/commands/mine.md": "run echo mine\n" },
  );
  const own = (path: string) => join(cwd, ".ikigai", path);
  await ikigai(["trust", "--yes"], { cwd, env });
  const { exitCode, stdout } = await run("add", "../kit", "--project", "--yes");
  const names = "hook before-call/bash/guard, skill pdf, command /say, agent critic";
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`Added @acme/kit 1.0.0: ${names}\n`)]);
  expect((await print("/say a")).stdout).toBe("packaged a\n");
  expect((await print("run echo forbidden")).stdout + (await print("run echo forbidden")).stderr).toContain("not this");
  const found = await doctor();
  for (const line of ["  skill pdf .ikigai", "  agent critic .ikigai", "  before-call bash .ikigai"])
    expect(found).toContain(line);
  expect((await run("list")).stdout).toContain(`  @acme/kit 1.0.0 from ${join(root, "kit")}: ${names}\n`);
  expect((await run("show", "fill")).stdout).toContain("Greet");

  renameSync(join(root, "kit/commands/say.md"), join(root, "kit/commands/tell.md"));
  expect((await run("update", "--project", "--yes")).exitCode).toBe(0);
  expect((await print("/tell a")).stdout).toBe("packaged a\n");
  expect(existsSync(own("commands/say.md"))).toBe(false);

  writeFileSync(join(root, "kit/commands/mine.md"), "theirs\n");
  const taken = await run("update", "--project", "--yes");
  expect([taken.exitCode, taken.stderr]).toEqual([
    1,
    expect.stringContaining(`${own("commands/mine.md")} exists, and the package brings one, too. Remove or rename it`),
  ]);
  expect((await print("/tell a")).stdout).toBe("packaged a\n");

  await run("remove", "@acme/kit", "--project");
  expect((await print("/mine")).stdout).toBe("mine\n");
  expect(readdirSync(own(".")).sort()).toEqual(["commands", "tools"]);
});

test("a colleague gets what a project's package brings with a trusted clone", async () => {
  const { cwd, env, run, print } = await place(parts);
  await run("add", "../kit", "--project", "--yes");
  await ikigai(["trust", "--revoke"], { cwd, env });
  expect((await print("/say a")).exitCode).toBe(2);
  await ikigai(["trust", "--yes"], { cwd, env });
  expect((await print("/say a")).stdout).toBe("packaged a\n");
  appendFileSync(join(cwd, ".ikigai/commands/say.md"), "more\n");
  expect((await print("/say a")).exitCode).toBe(2);
});

test("Python's caches are no change, and none is added", async () => {
  const { run, print, packaged } = await place({ ...parts, "lib/__pycache__/evil.pyc": "x", "lib/a.py": "" });
  expect((await run("add", "../kit", "--yes")).stdout).not.toContain("evil.pyc");
  expect(readdirSync(join(packaged(), "lib"))).toEqual(["a.py"]);
  mkdirSync(join(packaged(), "lib/__pycache__"));
  writeFileSync(join(packaged(), "lib/__pycache__/a.pyc"), "x");
  expect((await print("/say a")).stdout).toBe("packaged a\n");
  expect((await run("list")).stdout).not.toContain("not used");
  expect((await run("update")).stdout).toBe("@acme/kit 1.0.0 is up to date.\n");
});

test("the list as JSON has what packages bring", async () => {
  const { root, run, packaged } = await place({ ...parts, ...tool });
  await run("add", "../kit", "--yes");
  const rows = JSON.parse((await run("list", "--json")).stdout);
  const origin = { package: "@acme/kit", source: join(root, "kit"), version: "1.0.0", changed: false };
  expect(rows.filter((row: { package?: string }) => row.package === "@acme/kit")).toMatchObject([
    { ...origin, kind: "tool", name: "hi" },
    { ...origin, kind: "hook", name: "before-call/bash/guard" },
    {
      ...origin,
      kind: "skill",
      name: "pdf",
      description: "Fill PDF forms",
      path: join(packaged(), "skills/pdf/SKILL.md"),
      scope: "user",
    },
    { ...origin, kind: "command", name: "/say", description: "Say it" },
    { ...origin, kind: "agent", name: "critic" },
  ]);
  appendFileSync(join(packaged(), "commands/say.md"), "x");
  expect(JSON.parse((await run("list", "--json")).stdout).at(-1)).toMatchObject({ kind: "agent", changed: true });
});
