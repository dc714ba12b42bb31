// @module-tag sampled
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openTerminal } from "../terminal.ts";
import { openFull } from "./open-full.ts";

const program = fileURLToPath(new URL("../..", import.meta.url));

/** Runs a command without a question; returns the screen and what was written to the terminal. */
async function run(command: string, more: object = {}) {
  const calls = [{ name: "bash", arguments: { command, ...more } }];
  const { terminal } = await openFull([{ calls }, { text: "Seen." }], { args: ["--allow", "bash"] });
  terminal.type("go\r");
  const screen = await terminal.waitFor("Seen.");
  return { screen, raw: terminal.raw().replaceAll("\u001b", "␛") };
}

test("a failed command shows its first line, its last fourteen, and its exit code in red", async () => {
  const { screen, raw } = await run("seq 1 30; exit 1");
  expect(screen).toMatch(/exit 1\n {2}1\n {2}… 15 lines {3}ctrl-o\n {2}17\n(?: {2}\d+\n){12} {2}30\n {2}exit 1 · /);
  expect(raw).toContain("␛[31mexit 1␛[39m");
  expect(raw).not.toContain("␛[2mexit 1");
});

test("nine lines of a failure are all shown", async () => {
  const { screen } = await run("seq 1 9; exit 1");
  expect(screen).toMatch(/ {2}1\n {2}2\n[\s\S]* {2}8\n {2}9\n {2}exit 1 · /);
  expect(screen).not.toContain("ctrl-o");
});

test("a successful command shows its first four lines and its last three, and is dim", async () => {
  const { screen, raw } = await run("seq 1 30");
  expect(screen).toMatch(/ {2}3\n {2}4\n {2}… 23 lines {3}ctrl-o\n {2}28\n {2}29\n {2}30\n {2}exit 0 · /);
  expect(raw).toMatch(/␛\[2mexit 0 · /);
});

test("a command that was ended by a signal is a failure, too", async () => {
  const { screen, raw } = await run("seq 1 30; kill -KILL $$");
  expect(screen).toMatch(/… 15 lines {3}ctrl-o\n[\s\S]*\n {2}30\n(?: {2}\S.*\n)?/);
  expect(raw).toMatch(/␛\[31m[^␛]*exit 137/);
});

test.each([true, false])(
  "a command that throws shows it, and the conversation continues (full screen: %s)",
  async (isFull) => {
    const place = await tempDir();
    for (const name of ["dist", "package.json"]) cpSync(join(program, name), join(place, name), { recursive: true });
    const mode = isFull ? [] : ["--plain"];
    const terminal = await openTerminal([], {
      command: [process.execPath, join(place, "dist/ikigai.js"), "--model", "offline", ...mode],
      env: { IKIGAI_LIBEXEC: join(program, "libexec/ikigai") },
    });
    await terminal.waitFor("offline/plain-requests");
    // As when ikigai is upgraded or removed while it runs.
    for (const name of readdirSync(join(place, "dist"))) if (/^help-on-/.test(name)) rmSync(join(place, "dist", name));
    terminal.type("/help tools\r");
    await terminal.waitFor("This is a bug in ikigai, please report it.");
    terminal.type("/status\r");
    await terminal.waitFor(/permissions +(?:ask|auto)/);
  },
);
