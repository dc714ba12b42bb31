import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { keys, openFull } from "./open-full.ts";

const fixture = fileURLToPath(new URL("../../../../packages/core/test/fixtures/counting-tool", import.meta.url));

/** A call of the fixture, whose service counts. */
const call = (mode?: string) => ({ calls: [{ name: "counting", arguments: mode === undefined ? {} : { mode } }] });

async function countingHome(): Promise<string> {
  const home = await tempDir();
  mkdirSync(join(home, "tools"), { mode: 0o700 });
  copyFileSync(fixture, join(home, "tools/counting-tool"));
  return home;
}

test("/jobs shows services with their logs, and ends them; the next call starts them again", async () => {
  const options = {
    args: ["--allow", "counting"],
    env: { IKIGAI_HOME: await countingHome(), IKIGAI_NO_SERVE: undefined },
  };
  const steps = [call(), { text: "One." }, call(), { text: "Again." }];
  const { terminal, model } = await openFull(steps, options);
  terminal.type("count\r");
  await terminal.waitFor("One.");
  terminal.type("/jobs\r");
  const list = await terminal.waitFor(/Background jobs and services\n› service counting .*1 call/);
  const pid = Number(/pid (\d+), started just now/.exec(list)?.[1]);
  terminal.type("\r");
  await terminal.waitFor("service counting   l show log   e end it   esc cancel");
  terminal.type("l");
  await terminal.waitFor(/process \d+ started\nstarting\n/);
  terminal.type("q");
  await terminal.waitFor("One.");
  terminal.type("/jobs\r");
  await terminal.waitFor("Background jobs and services");
  terminal.type("\r");
  await terminal.waitFor("e end it");
  terminal.type("e");
  await terminal.waitFor("Ended: service counting");
  expect(isRunning(pid)).toBe(false);
  terminal.type("count\r");
  await terminal.waitFor("Again.");
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('\\"count\\":1,');
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
});

test("Ctrl-C in a call leaves the service alive, and quitting ends it", async () => {
  const options = {
    args: ["--allow", "counting"],
    env: { IKIGAI_HOME: await countingHome(), IKIGAI_NO_SERVE: undefined },
  };
  const { terminal, model } = await openFull(
    [call(), { text: "One." }, call("partial"), call(), { text: "Three." }],
    options,
  );
  terminal.type("count\r");
  await terminal.waitFor("One.");
  terminal.type("count\r");
  await terminal.waitFor(/counting.*partial/);
  terminal.type(keys.ctrlC);
  await terminal.waitFor(/interrupted/i);
  terminal.type("count\r");
  await terminal.waitFor("Three.");
  const said = JSON.stringify(model.requests.at(-1)?.messages);
  // On a busy machine Ctrl-C comes before the call reaches the service. A new service would begin with 1.
  expect(said).toMatch(/\\"count\\":[23],/);
  const [, pid] = /\\"pid\\":(\d+)/.exec(said) ?? [];
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
  expect(isRunning(Number(pid))).toBe(false);
});
