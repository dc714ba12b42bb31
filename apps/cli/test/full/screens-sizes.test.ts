// @module-tag sampled
import { expect, test } from "vitest";
import { some } from "../ikigai.ts";
import { perform, scenes } from "./screen-scenes.ts";

const looks = [
  { columns: 120, rows: 40 },
  { columns: 80, rows: 24, env: { NO_COLOR: "1", FORCE_COLOR: undefined } },
  { columns: 40, rows: 15 },
];

test.each(
  some(
    4,
    scenes.flatMap((scene) => looks.map((look) => ({ ...scene, ...look }))),
  ),
)(
  "$title, on $columns x $rows: each line fits, one input line, no color if none is wanted",
  async ({ columns, rows, env, ...scene }) => {
    const { terminal } = await perform(scene, { columns, rows, ...(env && { env }) });
    // The first line, printed before the screen is set up, is left to the terminal's own wrap.
    const [, ...lines] = terminal.screen().split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    // The rules above and below the input line, or a viewer, which has none.
    const rules = lines.slice(-rows).filter((line) => line === "─".repeat(columns));
    expect([0, 2]).toContain(rules.length);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of colors
    if (env) expect(terminal.raw()).not.toMatch(/\u001b\[(?:\d+;)*(?:3[0-7]|4[0-7]|[34]8|9[0-7])[;m]/);
  },
);
