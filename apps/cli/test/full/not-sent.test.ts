// @module-tag sampled
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { askingHome } from "../asking-home.ts";
import { until } from "../ikigai.ts";
import { acrossLines } from "../terminal.ts";
import { keys, openFull } from "./open-full.ts";

/** A home with a hook of `prompt`: a script for `sh`. */
async function homeWithHook(script: string): Promise<string> {
  const home = await askingHome();
  write(join(home, ".ikigai/hooks/prompt/guard"), `#!/bin/sh\n${script}\n`);
  return home;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o755 });
}

test("a message that a hook refuses goes back into the editor", async () => {
  const home = await homeWithHook("read -r input; case $input in *secret*) echo not today >&2; exit 2;; esac");
  const { terminal, model } = await openFull([{ text: "Fine." }], { env: { HOME: home } });
  terminal.type("tell the secret\r");
  await terminal.waitFor(/refused\s+the\s+message:\s+not\s+today\.[\s\S]*\n› tell the secret\n─/);
  expect(model.requests).toEqual([]);
  terminal.type(`${keys.ctrlC}hello\r`);
  await terminal.waitFor("\n◆ Fine.\n");
});

test("a custom command whose message is refused goes back as it was typed", async () => {
  const home = await homeWithHook("echo not today >&2; exit 2");
  write(join(home, ".ikigai/commands/review.md"), "Review this: $ARGUMENTS\n");
  const { terminal } = await openFull([], { env: { HOME: home } });
  terminal.type("/review the code\r");
  await terminal.waitFor(/refused\s+the\s+message:\s+not\s+today\.[\s\S]*\n› \/review the code\n─/);
});

test("a message that is not sent because of a broken hook goes back, and the reason is given once", async () => {
  const { terminal, model } = await openFull([], { env: { HOME: await homeWithHook("exit 3") } });
  terminal.type("hello\r");
  await terminal.waitFor("› Do not send it");
  terminal.type("\r");
  await terminal.waitFor(/\nThe message was not sent\.\n[\s\S]*\n› hello\n─/);
  await until(() => !terminal.screen().includes("Do not send it"), "the end of the question");
  expect(terminal.screen().split(acrossLines("is broken: exit 3."))).toHaveLength(2);
  expect(model.requests).toEqual([]);
});

test("Esc while a hook looks at a message puts it and the queued ones back, in their order", async () => {
  const { terminal } = await openFull([], { env: { HOME: await homeWithHook("sleep 600") } });
  terminal.type("first\r");
  await terminal.waitFor("thinking");
  terminal.type("second\r");
  await terminal.waitFor("next step");
  terminal.type(keys.escape);
  await terminal.waitFor(/\n› first\n {2}second\n─/);
});
