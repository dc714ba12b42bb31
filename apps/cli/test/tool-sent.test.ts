// @module-tag sampled
import { expect, test } from "vitest";
import { greeter, world } from "./tool-world.ts";

const skill = (more: string) => `---\nname: letters\n${more}---\nWrite letters.\n`;

test("list and show say why the model does not have a tool yet", async () => {
  const { run } = await world({
    "home/.ikigai/tools/hello-tool": greeter("hello", "Hello"),
    "home/.ikigai/tools/index-tool": greeter("index", "Index", ',"ikigai":{"catalog":true}'),
  });
  const why = 'Its schema declares "catalog": the model gets it only while there are tools or skills to load.';
  expect((await run("list")).stdout).toContain(`Notes:\n  index: ${why}\n`);
  expect((await run("show", "index")).stdout).toMatch(/Note: Its schema declares "catalog": .*\n$/);
  expect((await run("show", "hello")).stdout).not.toContain("Note:");
});

test("list and show name the skill of a script, and list a skill that cannot be used", async () => {
  const { run } = await world({
    "home/.ikigai/skills/letters/SKILL.md": skill("description: Writes letters\n"),
    "home/.ikigai/skills/letters/scripts/stamp-tool": greeter("stamp", "Stamp"),
    "home/.ikigai/skills/broken/SKILL.md": skill(""),
    "home/.ikigai/skills/broken/scripts/lost-tool": greeter("lost", "Lost"),
  });
  const why = "A script of the skill letters: the model gets it when it loads the skill.";
  const { stdout } = await run("list");
  expect(stdout).toContain(`  stamp: ${why}\n`);
  expect(stdout).toMatch(
    /^Skills not loaded, nor their scripts:\n {2}broken \(~\/\.ikigai\/skills\/broken\/SKILL\.md\): SKILL\.md has no description/m,
  );
  expect((await run("show", "stamp")).stdout).toContain(`Note: ${why}\n`);
});

test("the tool of an untrusted project's skill is listed, and shown as not trusted", async () => {
  const { run } = await world({
    "project/.claude/skills/letters/SKILL.md": skill("description: Writes letters\n"),
    "project/.claude/skills/letters/scripts/stamp-tool": greeter("stamp", "Stamp"),
  });
  expect((await run("list")).stdout).toMatch(/^ {2}stamp \(.*stamp-tool\): untrusted: to use it, .* ikigai trust$/m);
  expect((await run("show", "stamp")).stderr).toContain("The project tool stamp is not trusted — ikigai trust\n");
  const { stdout } = await run("call", "stamp", "{}");
  expect(JSON.parse(stdout).error).toMatch(
    /^Tool 'stamp' not found; the project's tool of this name was not loaded: untrusted: the user/,
  );
});
