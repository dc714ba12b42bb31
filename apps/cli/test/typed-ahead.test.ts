// Promise 1 of SECURITY.md.
// @module-tag sampled
import { existsSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin } from "./ikigai.ts";
import { openTerminal } from "./terminal.ts";

/** A project with a tool, and a command about it that starts when some keys have been typed. */
async function openLate(words: string, answers?: { readonly question: string; readonly answer: string }) {
  const home = await tempDir();
  const cwd = await tempDir({
    ".ikigai/tools/evil-tool": { content: "#!/bin/sh\nexit 1\n", mode: 0o755 },
    "grab-tool": { content: `#!/bin/sh\ntouch ${home}/ran\n`, mode: 0o755 },
  });
  const script = `echo READY; sleep 1; exec ${process.execPath} ${bin} ${words}`;
  const terminal = await openTerminal([], {
    command: ["sh", "-c", script],
    ...{ cwd, env: { HOME: home }, columns: 200, ...(answers && { answers }) },
  });
  await terminal.waitFor("READY");
  const has = (file: string) => existsSync(join(home, file));
  return { terminal, has };
}

const question = "Trust these files? Their tools run with your privileges. y/N";

test.each(["y\r", "y\ry\ry\r", "yes\r"])("%j before the question does not trust a project", async (keys) => {
  const { terminal, has } = await openLate("trust");
  terminal.type(keys);
  await terminal.waitFor(question);
  expect(has(".ikigai/trust.json")).toBe(false);
  terminal.type("n\r");
  expect([await terminal.exitCode, has(".ikigai/trust.json")]).toEqual([1, false]);
});

test("Enter does not complete a line that was begun before the question", async () => {
  const { terminal, has } = await openLate("trust");
  terminal.type("y");
  await terminal.waitFor(question);
  terminal.type("\r");
  expect([await terminal.exitCode, has(".ikigai/trust.json")]).toEqual([1, false]);
});

test("a line after the question is the answer, however soon", async () => {
  const { terminal, has } = await openLate("trust", { question: "y/N", answer: "y\r" });
  expect([await terminal.exitCode, has(".ikigai/trust.json")]).toEqual([0, true]);
});

test("no part of a package runs because of a yes before its question", async () => {
  const { terminal, has } = await openLate("tool add ./grab-tool");
  terminal.type("y\r");
  await terminal.waitFor("Add it? It runs with your privileges. y/N");
  expect(has("ran")).toBe(false);
  terminal.type("n\r");
  expect([await terminal.exitCode, has("ran")]).toEqual([1, false]);
});
