import { expect, test } from "vitest";
import { trustEffect } from "../src/render/question/render-trust.ts";

const runs = "tools would run with your privileges";

test.each([
  [["tools/a-tool"], runs],
  [["agents/reviewer.md"], "agents would give the model instructions"],
  [["skills/db/SKILL.md", "agents/reviewer.md"], "skills and agents would give the model instructions"],
  [["commands/greet.md"], "commands would give the model instructions"],
  [["commands/greet.sh"], runs],
  [
    ["commands/a.md", "agents/a.md", "skills/a/SKILL.md"],
    "skills, agents and commands would give the model instructions",
  ],
  [["tools/a-tool", "agents/reviewer.md"], `${runs}, and the agents would give the model instructions`],
  [["../.claude/skills/db/SKILL.md"], "skills would give the model instructions"],
  [["skills/db/scripts/a-tool"], `${runs}, and the skills would give the model instructions`],
])("of %j, trust has the effect: %s", (paths, effect) => {
  const files = paths.map((path) => ({ path, sha256: "", state: "new" as const }));
  expect(trustEffect({ status: "untrusted", dir: "/p/.ikigai", files } as never, "would ")).toBe(effect);
});
