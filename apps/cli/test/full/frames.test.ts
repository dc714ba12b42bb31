import { expect, test } from "vitest";
import { openFull } from "./open-full.ts";

const begin = "\u001b[?2026h";
const pieces = 120;

test("draws a streaming answer at least once for every six pieces", async () => {
  // Counted in pieces, not by the clock: with 25 ms between them that is every 150 ms.
  const text = Array.from({ length: pieces }, (_, n) => `word${String(n).padStart(3, "0")}`).join("");
  const { terminal } = await openFull([{ text: "Warm." }, { text, pieceLength: 7, pieceMs: 25 }]);
  // The first answer loads the renderers.
  terminal.type("go\r");
  await terminal.waitFor("Warm.");
  terminal.type("go on\r");
  await terminal.waitFor("word000");
  const before = terminal.raw().length;
  await terminal.waitFor("word119");
  const frames = terminal.raw().slice(before).split(begin).length - 1;
  expect(frames).toBeGreaterThan(pieces / 6);
});
