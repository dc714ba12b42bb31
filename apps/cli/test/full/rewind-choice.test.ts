// @module-tag sampled
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { keys, openFull } from "./open-full.ts";

/** Opens a session in which a file was changed, at the question of what to rewind. */
async function openRewind({ later, ...size }: { columns?: number; rows?: number; later?: string } = {}) {
  const cwd = await tempDir({ "a.txt": "old\n" });
  const write = { calls: [{ name: "file_write", arguments: { file_path: "a.txt", content: "new\n" } }] };
  const { terminal, model } = await openFull([write, { text: "Written." }, { text: "Yes." }], {
    cwd,
    args: ["--allow", "file_write"],
    ...size,
  });
  terminal.type("change it\r");
  await terminal.waitFor("Written.");
  if (later !== undefined) writeFileSync(join(cwd, "a.txt"), later);
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
  /** The messages that the model receives with the next one. */
  const nextRequest = async () => {
    terminal.type("is it there?\r");
    await terminal.waitFor("Yes.");
    return JSON.stringify(model.requests.at(-1)?.messages);
  };
  return { terminal, choose, content, nextRequest };
}

test("shows the files that it would change above the choice, also on a full screen", async () => {
  const { terminal } = await openRewind({ columns: 60, rows: 14 });
  expect(terminal.screen()).toMatch(/a\.txt is restored \(4 B\)\n[\s\S]*Rewind what\?/);
});

test("rewinds only the files: the conversation and the editor stay as they are", async () => {
  const { terminal, choose, content, nextRequest } = await openRewind();
  await choose("These files");
  await terminal.waitFor("1 file restored");
  expect(content()).toBe("old\n");
  await terminal.waitFor(/\n›\n─/);
  const sent = await nextRequest();
  expect(sent).toContain("change it");
  expect(sent).toContain("Written.");
});

test("rewinds only the conversation: the files stay as they are", async () => {
  const { terminal, content, nextRequest } = await openRewind();
  // The second of the three; typed, its label would also match the first.
  terminal.type(keys.down);
  terminal.type(keys.enter);
  await terminal.waitFor("› change it\n─");
  expect(content()).toBe("new\n");
  terminal.type("\u0015");
  expect(await nextRequest()).not.toContain("change it");
});

test("leaves a file alone that the user has changed since", async () => {
  const { terminal, content } = await openRewind({ later: "mine\n" });
  await terminal.waitFor(/Rewind what\?\n› The conversation and these files\n/);
  expect(terminal.screen()).toContain("a.txt stays: you changed it since");
  terminal.type(keys.enter);
  await terminal.waitFor("Rewound to before this message.");
  expect(content()).toBe("mine\n");
});
