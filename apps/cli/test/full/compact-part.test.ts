// @module-tag sampled
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { askingHome } from "../asking-home.ts";
import { keys, openFull } from "./open-full.ts";

test("a summary that is longer than its part changes nothing", async () => {
  const { terminal, model } = await openFull([{ text: "First." }, { text: "The summary." }, { text: "Second." }]);
  terminal.type("one\r");
  await terminal.waitFor("First.");
  terminal.type("/compact from here\r");
  await terminal.waitFor("Summarize from this message");
  terminal.type("\r");
  await terminal.waitFor("Nothing gained");
  terminal.type("two\r");
  await terminal.waitFor("Second.");
  expect(said(model.requests[2]?.messages)).toEqual(["one", "First.", "two"]);
});

/** What a request says, without its system prompt, up to the first line end. */
const said = (messages: readonly { readonly role: string; readonly content: unknown }[] = []) =>
  messages.slice(1).map(({ content }) => String(content).split("\n")[0]);

const part = (what: string) => `[${what} of this conversation was replaced by this summary to make room.]`;

test.each([
  ["from", ["one", "First.", part("This part")]],
  ["up to", [part("The beginning"), "Second.", "three", "Third.", "four"]],
])("/compact %s here summarizes that part and keeps the rest, also after a resume", async (side, kept) => {
  const [cwd, HOME] = [await tempDir(), await askingHome()];
  const long = "word ".repeat(300);
  const answers = ["First.", "Second.", "Third."].map((text) => ({ text: `${text}\n\n${long}` }));
  const steps = [...answers, { text: "The summary." }, { text: "Fourth." }];
  const { terminal, model } = await openFull(steps, { cwd, env: { HOME } });
  for (const [index, word] of ["one", "two", "three"].entries()) {
    terminal.type(`${word}\r`);
    await terminal.waitFor(["First.", "Second.", "Third."][index] ?? "");
  }
  terminal.type(`/compact ${side} here\r`);
  await terminal.waitFor(/Summarize (?:from|all before) this message/);
  terminal.type(`${keys.up}\r`);
  await terminal.waitFor("The session file keeps all messages.");
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
  const { terminal: again, model: next } = await openFull([{ text: "Fourth." }], { cwd, env: { HOME }, args: ["-c"] });
  again.type("four\r");
  await again.waitFor("Fourth.");
  expect(said(next.requests[0]?.messages)).toEqual(kept);
  // Messages of the user in a row are sent as one.
  expect(String(next.requests[0]?.messages.at(-1)?.content)).toMatch(/four$/);
  expect(String(next.requests[0]?.messages[1]?.content)).toMatch(side === "from" ? /^one$/ : /The summary\..*two$/s);
  expect(said(model.requests[3]?.messages).slice(0, 2)).toEqual(["one", "First."]);
});
