// @module-tag sampled
import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { until } from "../ikigai.ts";
import { keys, openFull } from "./open-full.ts";
import { slowProvider } from "./slow-provider.ts";

const ctrlK = "\u000b";

test("keys that arrive together with those that open the palette are for it", async () => {
  const { terminal, model } = await openFull([{ text: "Heard." }]);
  terminal.type(`${ctrlK}help\r`);
  await terminal.waitFor(/^Help · \d+ more/m);
  expect(model.requests).toEqual([]);
});

test.each([
  "some notes\r!touch PWNED\rmore",
  "!touch PWNED\rmore\r",
  `${"notes ".repeat(2_000)}\r!touch PWNED\r`.repeat(5),
])("several lines that arrive together are a paste, and none is sent or run", async (text) => {
  const cwd = await tempDir();
  const { terminal, model } = await openFull([{ text: "Heard." }], { cwd });
  terminal.type(text);
  await terminal.waitFor(/^ *(?:› )?!touch PWNED$|\[Pasted \d+ /m);
  await sleep(300);
  expect(readdirSync(cwd)).toEqual([]);
  expect(model.requests).toEqual([]);
});

test("a search of the history takes the text that arrives with its key", async () => {
  const { terminal, model } = await openFull([{ text: "Heard." }, { text: "Heard." }]);
  terminal.type("say hello\r");
  await terminal.waitFor("Heard.");
  terminal.type(`${keys.ctrlR}hello\r`);
  await terminal.waitFor(/› say hello$/m);
  expect(model.requests).toHaveLength(1);
});

test.each([2, 3, 6])("of %d Enters that arrive together, only the first is for the command", async (count) => {
  const { terminal, model } = await openFull([{ text: "Heard." }, { text: "Again." }]);
  terminal.type("say hello\r");
  await terminal.waitFor("Heard.");
  terminal.type(`/rewind${"\r".repeat(count)}`);
  await terminal.waitFor("type to filter");
  await sleep(1_000);
  expect(terminal.screen()).toContain("type to filter");
  expect(model.requests).toHaveLength(1);
});

test.each([
  ["text", "sonnet"],
  ["a paste", "\u001b[200~sonnet\u001b[201~"],
])("%s that comes while the providers are asked for their models is for their list", async (_, typed) => {
  const { terminal, model } = await openFull([{ text: "Heard." }], { env: await slowProvider(900) });
  terminal.type("/model\r");
  await terminal.waitFor("Asking the providers");
  terminal.type(typed);
  await sleep(100);
  terminal.type(keys.enter);
  await terminal.waitFor("Model: openai-compatible/sonnet");
  expect(model.requests).toEqual([]);
});

test("Enter chooses from a list that opens long after a question was withdrawn", async () => {
  const { terminal } = await openFull([{ text: "Heard." }]);
  terminal.type("\u001a");
  // It takes the terminal a second time.
  await until(() => terminal.raw().split("\u001b[?2004h").length > 2, "the end of the suspension");
  await sleep(1_500);
  terminal.type(ctrlK);
  await terminal.waitFor("type to filter");
  terminal.type("help");
  await sleep(50);
  terminal.type("\r");
  await terminal.waitFor(/^Help · \d+ more/m);
});
