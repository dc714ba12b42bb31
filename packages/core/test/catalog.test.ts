// Promise 1 of SECURITY.md.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callTool, trust } from "../src/index.ts";
import { catalogOf } from "../src/internal.ts";
import { hasBubblewrap, sandboxStage } from "./sandbox-stage.ts";
import { circumstances, schema, tool, world } from "./world.ts";

/** Answers with the path and the content of its catalog. */
const body = `cat > /dev/null; printf '{"path":"%s"}' "$IKIGAI_CATALOG"`;
const catalogTool = (name: string) => ({
  content: tool(schema(name, { ikigai: { catalog: true } }), body),
  mode: 0o755,
});

const skill = "---\nname: db\ndescription: Databases\nmetadata:\n  ikigai-tools: plain\n---\nText\n";

test("gives a tool that declares it the list of tools and skills, in a file that only the user can read", async () => {
  const { home, projectDir, discover } = await world({
    "home/tools/find-tool": catalogTool("find"),
    "home/tools/plain-tool": { content: tool(schema("plain"), body), mode: 0o755 },
    "home/skills/db/SKILL.md": skill,
  });
  const registry = await discover();
  const options = await circumstances({ cwd: projectDir, home, env: { ...process.env, IKIGAI_CATALOG: "/outer" } });
  const { envelope } = await callTool(registry, "find", "{}", options);
  const { path } = (envelope.tool_success ? envelope.result : {}) as { path: string };
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const lines = readFileSync(path, "utf8").trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      kind: "skill",
      name: "db",
      description: "Databases",
      path: join(home, "skills/db/SKILL.md"),
      introduces: ["plain"],
    },
    { kind: "tool", name: "plain", description: "Does it", parameters: [] },
  ]);
  const plain = await callTool(registry, "plain", "{}", options);
  expect(plain.envelope).toMatchObject({ result: { path: "" } });
});

test("gives a project's tool no list", async () => {
  const { home, projectDir, discover } = await world({ "project/.ikigai/tools/find-tool": catalogTool("find") });
  await trust({ home, projectDir });
  const options = await circumstances({ cwd: projectDir, home });
  expect((await callTool(await discover(), "find", "{}", options)).envelope).toMatchObject({ result: { path: "" } });
});

test("names the content that the user has trusted of a project's skill", async () => {
  const { home, projectDir, discover } = await world({ "project/.agents/skills/db/SKILL.md": skill });
  const { files } = await trust({ home, projectDir });
  const { path = "", directories } = catalogOf(await discover(), home) ?? {};
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ kind: "skill", sha256: files[0]?.sha256 });
  expect(directories).toEqual([join(projectDir, ".agents/skills/db")]);
});

test("writes the same list once, and removes lists that no call has used for two days", async () => {
  const { home, discover } = await world({ "home/tools/find-tool": catalogTool("find") });
  const first = catalogOf(await discover(), home)?.path ?? "";
  const { ino } = statSync(first);
  const dayMs = 24 * 60 * 60 * 1_000;
  const ago = (days: number) => new Date(Date.now() - days * dayMs);
  utimesSync(first, ago(3), ago(3));
  expect(catalogOf(await discover(), home)?.path).toBe(first);
  expect(statSync(first)).toMatchObject({ ino });
  expect(statSync(first).mtimeMs).toBeGreaterThan(Date.now() - dayMs);
  const directory = join(home, "cache/catalogs");
  for (const [name, days] of [
    ["kept", 1.9],
    ["old", 2.1],
  ] as const) {
    writeFileSync(join(directory, name), "");
    utimesSync(join(directory, name), ago(days), ago(days));
  }
  // Not removed, and no reason to give no list.
  mkdirSync(join(directory, "a-directory"));
  utimesSync(join(directory, "a-directory"), ago(3), ago(3));
  writeFileSync(join(home, "tools/other-tool"), tool(schema("other")), { mode: 0o755 });
  const second = catalogOf(await discover(), home)?.path ?? "";
  expect(second).not.toBe(first);
  expect([existsSync(first), readdirSync(directory).includes("kept"), readdirSync(directory).includes("old")]).toEqual([
    true,
    true,
    false,
  ]);
});

test("gives no list if it cannot be written", async () => {
  const { home, discover } = await world({ "home/tools/find-tool": catalogTool("find"), "home/cache": "a file" });
  expect(catalogOf(await discover(), home)).toBeUndefined();
});

test.skipIf(!hasBubblewrap)(
  "a tool in the sandbox sees the list and the skills, and nothing else of the user (needs bwrap)",
  async () => {
    const script = `cat > /dev/null; cd "$(dirname "$0")/../skills"
printf '{"list":%s,"skill":%s,"config":%s}' "$(cat "$IKIGAI_CATALOG" | wc -l)" "$(cat db/SKILL.md | wc -l)" "$(ls ../config.json 2>/dev/null | wc -l)"`;
    const { home, projectDir, sandbox, discover } = await sandboxStage({
      "home/tools/find-tool": { content: tool(schema("find", { ikigai: { catalog: true } }), script), mode: 0o755 },
      "home/skills/db/SKILL.md": skill,
      "home/config.json": "{}",
    });
    const options = await circumstances({ cwd: projectDir, projectDir, home, sandbox });
    const { envelope } = await callTool(await discover(), "find", "{}", options);
    expect(envelope).toMatchObject({ result: { list: 2, skill: 7, config: 0 } });
  },
);
