import { expect, test } from "vitest";
import { trustEffect } from "../src/render/render-trust.ts";

const runs = "tools would run with your privileges";

test.each([
  [["tools/a-tool"], runs],
  [["agents/reviewer.md"], "agents would instruct the model"],
  [["skills/db/SKILL.md", "agents/reviewer.md"], "skills and agents would instruct the model"],
  [["commands/greet.md"], "commands would instruct the model"],
  [["commands/greet.sh"], runs],
  [["commands/a.md", "agents/a.md", "skills/a/SKILL.md"], "skills, agents and commands would instruct the model"],
  [["tools/a-tool", "agents/reviewer.md"], `${runs}, and the agents would instruct the model`],
  [["../.claude/skills/db/SKILL.md"], "skills would instruct the model"],
  [["skills/db/scripts/a-tool"], `${runs}, and the skills would instruct the model`],
])("of %j, trust has the effect: %s", (paths, effect) => {
  const files = paths.map((path) => ({ path, sha256: "", state: "new" as const }));
  expect(trustEffect({ status: "untrusted", dir: "/p/.ikigai", files } as never, "would ")).toBe(effect);
});
