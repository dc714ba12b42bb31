import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { play, scenes } from "./screen-scenes.ts";

const page = new URL("../../../../docs/screens.md", import.meta.url);

const begin = `# Screens

What the terminal shows, as text and without its colors, 80 columns wide. Each is taken from a real terminal by a test
(\`apps/cli/test/full/screens.test.ts\`); \`npm run screens\` writes the page again. All durations are written as 1 s.
`;

test.each(scenes)("docs/screens.md shows: $title", async (scene) => {
  const part = `## ${scene.title}\n\n${scene.about}\n\n\`\`\`text\n${await play(scene)}\n\`\`\`\n`;
  if (process.env.IKIGAI_WRITE_SCREENS !== "1") return expect(readFileSync(page, "utf8")).toContain(part);
  const isFirst = scene === scenes[0];
  writeFileSync(page, `${isFirst ? begin : readFileSync(page, "utf8")}\n${part}`);
});
