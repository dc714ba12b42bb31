import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { play, scenes } from "./screen-scenes.ts";

const page = new URL("../../../../docs/screens.md", import.meta.url);

const begin = `# Screens

What the terminal shows, as text and without its colors, 80 columns wide. Each is taken from a real terminal by a test
(\`apps/cli/test/full/screens.test.ts\`); \`npm run screens\` writes the page again. All durations are written as 1 s. The first screen
is whole; the others leave out the title and the empty input.
`;

/** A screen without what is on all of them. */
const ownPart = (screen: string) =>
  screen
    .replace(/^ikigai .*\n\n/, "")
    .replace(/─+\n›\n─+\n(?=.*\n?.*$)/, "")
    .replace(/\n{3,}/g, "\n\n");

test.each(scenes)("docs/screens.md shows: $title", async (scene) => {
  const screen = await play(scene);
  const isFirst = scene === scenes[0];
  const part = `## ${scene.title}\n\n${scene.about}\n\n\`\`\`text\n${isFirst ? screen : ownPart(screen)}\n\`\`\`\n`;
  if (process.env.IKIGAI_WRITE_SCREENS !== "1") return expect(readFileSync(page, "utf8")).toContain(part);
  writeFileSync(page, `${isFirst ? begin : readFileSync(page, "utf8")}\n${part}`);
});
