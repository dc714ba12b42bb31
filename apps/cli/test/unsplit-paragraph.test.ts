// @module-tag sampled
import { themeFor, unicodeSigns } from "@ikigai/screen";
import { expect, test, vi } from "vitest";
import { createAnswerBlock } from "../src/tui/components/answer-block.ts";
import { loadRenderers } from "../src/tui/components/renderers.ts";
import { some } from "./ikigai.ts";

// The build makes it of the languages that are highlighted; no code is drawn here.
vi.mock("ikigai:highlighter", () => ({ HighlightJS: {} }));

/** Long enough to be higher than the screen, and split into pieces as a model sends them. */
const length = 5_000;
const pieceLength = 20;

const words = Array.from({ length: length / 5 }, (_, at) => `w${at}`).join(" ");
const characters = Array.from({ length }, (_, at) => String.fromCodePoint(0x4e00 + at)).join("");

test.each(
  some(3, [
    ["a quote", `> ${words}`],
    ["Chinese", characters],
    ["Chinese with a few words", characters.replace(/.{500}/g, "$& word ")],
    ["a link", `See [the page](https://example.org/${"z1".repeat(length / 2)}) for it.`],
    ["open bold text", `It is **${words}`],
  ]),
)("%s that comes in many pieces and cannot be split costs little more than to draw it", async (_, text) => {
  await loadRenderers();
  const block = createAnswerBlock(
    () => themeFor(undefined),
    () => unicodeSigns,
    () => {},
  );
  const begun = performance.now();
  for (let at = 0; at < text.length; at += pieceLength) {
    block.add(text.slice(at, at + pieceLength));
    block.takeSettled(100, 40);
  }
  const splittingMs = performance.now() - begun;
  const drawing = performance.now();
  for (let times = 0; times < 10; times++) {
    block.add(".");
    block.render(100, 40);
  }
  const drawnMs = (performance.now() - drawing) / 10;
  // About eight attempts, each of which draws a paragraph of this length or shorter a few times.
  expect(splittingMs / drawnMs).toBeLessThan(60);
});
