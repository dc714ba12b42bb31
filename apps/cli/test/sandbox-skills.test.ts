// Promise 2 of SECURITY.md.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

const skill = (name: string) => `---\nname: ${name}\ndescription: Does it.\n---\nDo it.\n`;

/** Lists what can be read of the places with skills, one file a line. */
const list = "cd ~ && find -L .ikigai .claude .agents work/.claude -name '*.md' 2>/dev/null | LC_ALL=C sort";

/** A user with skills that are used, overridden and broken, and a project with a skill and a link to a private directory. */
async function place() {
  const home = await tempDir({
    ".ikigai/skills/db/SKILL.md": skill("db"),
    ".ikigai/skills/db/more.md": "More.\n",
    ".ikigai/agents/a.md": "private\n",
    ".claude/skills/db/SKILL.md": skill("db"),
    ".claude/skills/web/SKILL.md": skill("web"),
    ".claude/skills/broken/SKILL.md": "---\nname: broken\n---\nNo description.\n",
    ".claude/private/SKILL.md": skill("leak"),
    ".agents/skills/shared/SKILL.md": skill("shared"),
    "work/.claude/skills/own/SKILL.md": skill("own"),
    // A command that names these directories would be a question.
    "work/list.sh": list,
  });
  const cwd = join(home, "work");
  symlinkSync(join(home, ".claude/private"), join(cwd, ".claude/skills/leak"));
  return { home, cwd };
}

describe.skipIf(!hasBubblewrap)("in the sandbox (needs bwrap)", () => {
  test("the model's calls can read the skills in use, and no others outside of the project", async () => {
    const { home, cwd } = await place();
    const read = async () => {
      const { env, requests } = await startModel([
        { calls: [{ name: "bash", arguments: { command: "sh list.sh" } }] },
        { text: "Done." },
      ]);
      const args = ["-p", "list", "--model", "openai-compatible/m", "--permission-mode", "allow", "--sandbox"];
      await ikigai(args, { cwd, env: { ...env, HOME: home } });
      const { content } = requests[1]?.messages.at(-1) ?? {};
      return JSON.parse(String(content)).result.output.trim().split("\n");
    };
    const inUse = [
      ".agents/skills/shared/SKILL.md",
      ".claude/skills/web/SKILL.md",
      ".ikigai/skills/db/SKILL.md",
      ".ikigai/skills/db/more.md",
      "work/.claude/skills/own/SKILL.md",
    ];
    expect(await read()).toEqual(inUse);
    expect((await ikigai(["trust", "--yes"], { cwd, env: { HOME: home } })).exitCode).toBe(0);
    expect(await read()).toEqual([...inUse, ".claude/private/SKILL.md", "work/.claude/skills/leak/SKILL.md"].sort());
  });

  test("a call by the user reads no skills outside of the project", async () => {
    const { home, cwd } = await place();
    const { stdout } = await ikigai(["--model", "offline", "--sandbox"], {
      cwd,
      env: { HOME: home },
      typed: "!sh list.sh\n",
    });
    expect(stdout).toContain("work/.claude/skills/own/SKILL.md");
    expect(stdout).not.toMatch(/(?:web|db|private)\/SKILL/);
  });
});

test("help sandbox describes it", async () => {
  const { stdout } = await ikigai(["help", "sandbox"]);
  expect(stdout.replace(/\s+/g, " ")).toContain(
    "The model's calls can read the skills in use, also those in ~/.claude/skills, and long results of the session",
  );
});
