import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { keys, openFull } from "./open-full.ts";

/** A session in which a file was changed, with the choice of what goes back on the screen. */
async function openRewind() {
  const cwd = await tempDir({ "a.txt": "old\n" });
  const write = { calls: [{ name: "file_write", arguments: { file_path: "a.txt", content: "new\n" } }] };
  const { terminal, model } = await openFull([write, { text: "Written." }, { text: "Yes." }], {
    cwd,
    args: ["--allow", "file_write"],
  });
  terminal.type("change it\r");
  await terminal.waitFor("Written.");
  terminal.type("/rewind\r");
  await terminal.waitFor("Rewind to before");
  terminal.type(keys.enter);
  await terminal.waitFor("Rewind what?");
  const choose = async (label: string) => {
    terminal.type(label);
    await terminal.waitFor(new RegExp(`Rewind what\\? {2}${label}\n› `));
    terminal.type(keys.enter);
  };
  const content = () => readFileSync(join(cwd, "a.txt"), "utf8");
  /** What the model reads of the conversation with the next message. */
  const nextRequest = async () => {
    terminal.type("is it there?\r");
    await terminal.waitFor("Yes.");
    return JSON.stringify(model.requests.at(-1)?.messages);
  };
  return { terminal, choose, content, nextRequest };
}

test("only the files go back: the conversation stays as it is, and nothing is put into the editor", async () => {
  const { terminal, choose, content, nextRequest } = await openRewind();
  await choose("These files");
  await terminal.waitFor("a.txt restored");
  expect(content()).toBe("old\n");
  await terminal.waitFor(/\n›\n─/);
  const sent = await nextRequest();
  expect(sent).toContain("change it");
  expect(sent).toContain("Written.");
});

test("only the conversation goes back: the files stay as they are", async () => {
  const { terminal, content, nextRequest } = await openRewind();
  // The second of the three; typed, its label would also match the first.
  terminal.type(keys.down);
  terminal.type(keys.enter);
  await terminal.waitFor("› change it\n─");
  expect(content()).toBe("new\n");
  terminal.type("\u0015");
  expect(await nextRequest()).not.toContain("change it");
});
