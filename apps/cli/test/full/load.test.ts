import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { keys, openFull } from "./open-full.ts";

const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name} well.\n---\nUse it for $ARGUMENTS.\n`;

test("/load completes names, loads a skill and lists them", async () => {
  const HOME = await tempDir({
    ".ikigai/config.json": "{}",
    ".ikigai/skills/database/SKILL.md": skill("database"),
    ".ikigai/skills/spreadsheet/SKILL.md": skill("spreadsheet"),
  });
  const { terminal, model } = await openFull([{ text: "Understood." }], { env: { HOME } });
  terminal.type("/load ");
  await terminal.waitFor(/database[\s\S]*spreadsheet/);
  terminal.type("spr");
  await terminal.waitFor("→ spreadsheet");
  terminal.type(keys.tab);
  await terminal.waitFor("› /load spreadsheet");
  terminal.type(` sums${keys.enter}`);
  await terminal.waitFor("Loaded the skill spreadsheet (~/.ikigai/skills/spreadsheet/SKILL.md).");
  terminal.type(`/skills${keys.enter}`);
  await terminal.waitFor("database  Does database well.  (~/.ikigai/skills/database/SKILL.md)");
  terminal.type(`go${keys.enter}`);
  await terminal.waitFor("Understood.");
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("Use it for sums.");
});
