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
