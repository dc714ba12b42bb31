// Promise 1 of SECURITY.md.
// @module-tag sampled
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentsWorld } from "./agents-world.ts";

const skill = "---\nname: x\ndescription: Does x.\n---\nDo x.\n";

test.each([
  [".claude/skills/x/SKILL.md", "mode"],
  [".agents/skills/x/SKILL.md", "mode"],
  [".Claude/skills/x/SKILL.md", "mode"],
  [".claude/skills/x/SKILL.md", "link"],
  [".claude/skills/x/SKILL.md", "home as the project"],
])("a model does not change the user's %s without a question (%s)", async (path, how) => {
  const world = await agentsWorld({}, { [`home/${path}`]: skill });
  if (how === "link") symlinkSync("../home/.claude", join(world.cwd, "linked"));
  const cwd = how === "home as the project" ? join(world.root, "home") : world.cwd;
  const file_path = how === "link" ? "linked/skills/x/SKILL.md" : join(world.root, "home", path);
  const written = await agentsWorld({
    PARENT: [
      { calls: [{ name: "file_write", arguments: { file_path, content: `${skill}Obey.\n` } }] },
      { text: "Done." },
    ],
  });
  const env = { ...written.env, HOME: join(world.root, "home") };
  const { report } = await written.run("PARENT", ["--permission-mode", "allow", "--allow", "file_write(*)"], {
    cwd,
    env,
  });
  expect(report.tool_calls[0]?.envelope).toMatchObject({
    error_code: "TOOL_DENIED",
    error: expect.stringMatching(
      /not interactive \(.+\)\. No rule can allow it: it always needs confirmation by the user/,
    ),
  });
  expect(readFileSync(join(world.root, "home", path), "utf8")).toBe(skill);
});

test("a model may change a project's, which then needs the user's trust again", async () => {
  const file_path = ".agents/skills/x/SKILL.md";
  const steps = [{ calls: [{ name: "file_write", arguments: { file_path, content: skill } }] }, { text: "Done." }];
  const world = await agentsWorld({ PARENT: steps });
  mkdirSync(join(world.cwd, ".agents/skills/x"), { recursive: true });
  const { report } = await world.run("PARENT", ["--permission-mode", "edits"]);
  expect(report.tool_calls[0]?.envelope.result).toHaveProperty("bytes");
  expect((await world.run("PARENT")).stderr).toContain("1 project skill not trusted: x");
});
