// Promise 4 of SECURITY.md.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { hasBubblewrap } from "../has-bubblewrap.ts";
import type { Terminal } from "../terminal.ts";
import { keys, openFull } from "./open-full.ts";

async function say(terminal: Terminal, text: string, answer: string): Promise<void> {
  terminal.type(`${text}\r`);
  await terminal.waitFor(`\n◆ ${answer}\n`);
}

const write = (file_path: string, content: string) => ({
  calls: [{ name: "file_write", arguments: { file_path, content } }],
});
const bash = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });

test("/rewind of only the files leaves the conversation unchanged", async () => {
  const cwd = await tempDir({ "a.txt": "old\n" });
  const steps = [write("a.txt", "new\n"), { text: "Written." }, { text: "Again." }];
  const { terminal, model } = await openFull(steps, { cwd, args: ["--allow", "file_write"] });
  await say(terminal, "write it", "Written.");
  terminal.type("/rewind\r");
  await terminal.waitFor(/Rewind to before\n› write it/);
  terminal.type("\r");
  await terminal.waitFor("Rewind what?");
  terminal.type(`${keys.down}${keys.down}`);
  await terminal.waitFor("› These files");
  terminal.type("\r");
  await terminal.waitFor("1 file restored");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("old\n");
  await say(terminal, "go on", "Again.");
  expect(JSON.stringify(model.requests[2]?.messages)).toContain("write it");
});

test("/changes says since which message nothing has changed", async () => {
  const { terminal } = await openFull([bash("echo a > a; rm a"), { text: "Done it." }], {
    cwd: await tempDir({ "b.txt": "b" }),
    args: ["--permission-mode", "allow"],
  });
  terminal.type("/changes\r");
  await terminal.waitFor("No changes in this session.");
  await say(terminal, `do nothing ${"at all ".repeat(9)}`, "Done it.");
  terminal.type("/changes\r");
  await terminal.waitFor(
    'Nothing has changed since your message "do nothing at all at all at all at all a…". For the whole\nsession: /changes all',
  );
});

test("/rewind back takes a rewind back until the next message, and /changes shows both", async () => {
  const cwd = await tempDir({ "a.txt": "old\n", "b.bin": "\0", gone: "x\n" });
  const steps = [
    bash("echo new > a.txt; printf '\\0\\0' > b.bin; rm gone; seq 60 > many"),
    { text: "Done it." },
    { text: "Again." },
  ];
  const { terminal, model } = await openFull(steps, { cwd, args: ["--permission-mode", "allow"] });
  await say(terminal, "do it", "Done it.");
  terminal.type("/changes\r");
  await terminal.waitFor(/\n… 11 more lines\n/);
  expect(terminal.screen()).toMatch(
    /4 files, \+61 -1\n\na\.txt {2}\+1 -1\n@@ -1 \+1 @@\n-old\n\+new\n\nb\.bin {2}1 B to 2 B, binary or over 1 MiB, so not shown\n\ngone {2}deleted\n\nmany {2}new, \+60 -0\n/,
  );
  terminal.type("/rewind\r");
  await terminal.waitFor(/Rewind to before\n› do it/);
  terminal.type("\r");
  await terminal.waitFor("Rewind what?");
  terminal.type("\r");
  await terminal.waitFor("To take this back before your next message: /rewind back");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("old\n");
  terminal.type("\u0015/rewind back\r");
  await terminal.waitFor("Take back what?");
  terminal.type("\r");
  await terminal.waitFor("Took back the rewind of the conversation.");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("new\n");
  await say(terminal, "go on", "Again.");
  expect(JSON.stringify(model.requests[2]?.messages)).toContain("do it");
  terminal.type("/rewind back\r");
  await terminal.waitFor(/Take back what\?\n› These files\n/);
});

test.runIf(hasBubblewrap)("/rewind writes nothing outside for a sandboxed tool (needs bwrap)", async () => {
  const [cwd, outside] = [await tempDir(), await tempDir({ ".bashrc": "mine\n" })];
  const steps = [
    ...[bash("mkdir d; echo evil > d/.bashrc"), { text: "Made." }],
    ...[write("d/.bashrc", "harmless\n"), { text: "Written." }],
    ...[bash(`mv d e; ln -s ${outside} d`), { text: "Moved." }],
  ];
  const { terminal } = await openFull(steps, { cwd, args: ["--sandbox", "--permission-mode", "allow"] });
  await say(terminal, "make", "Made.");
  await say(terminal, "write", "Written.");
  await say(terminal, "move", "Moved.");
  terminal.type("/rewind\r");
  await terminal.waitFor(/Rewind to before/);
  terminal.type(`${keys.up}\r`);
  await terminal.waitFor("› The conversation and these files");
  expect(terminal.screen()).toMatch(/d is removed\n {2}d\/\.bashrc is restored/);
  terminal.type("\r");
  await terminal.waitFor("3 files restored");
  expect(readFileSync(join(outside, ".bashrc"), "utf8")).toBe("mine\n");
});
