import { expect, test } from "vitest";
import { openFull } from "./open-full.ts";

const begin = "\u001b[?2026h";
const pieces = 120;

test("an answer that streams is drawn at least once for every six pieces of it", async () => {
  // As often as pieces come, the clock of the machine aside: with 25 ms between them that is every 150 ms.
  const text = Array.from({ length: pieces }, (_, n) => `word${String(n).padStart(3, "0")}`).join("");
  const { terminal } = await openFull([{ text: "Warm." }, { text, pieceLength: 7, pieceMs: 25 }]);
  // What answers are drawn with is loaded by the first.
  terminal.type("go\r");
  await terminal.waitFor("Warm.");
  terminal.type("go on\r");
  await terminal.waitFor("word000");
  const before = terminal.raw().length;
  await terminal.waitFor("word119");
  const frames = terminal.raw().slice(before).split(begin).length - 1;
  expect(frames).toBeGreaterThan(pieces / 6);
});
