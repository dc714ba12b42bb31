// @module-tag sampled
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

/** A home whose last session used openai-compatible/alpha, and what is configured now. */
async function resumed(configured: string | undefined) {
  const [cwd, home] = [await tempDir(), await tempDir()];
  const server = await startModel([]);
  const run = (args: readonly string[], env: Readonly<Record<string, string>>) =>
    ikigai(["-p", "run echo again", ...args], { cwd, env: { HOME: home, ...env } });
  expect(await run(["--model", "openai-compatible/alpha"], server.env)).toMatchObject({ exitCode: 0 });
  mkdirSync(join(home, ".ikigai"), { recursive: true });
  if (configured !== undefined) writeFileSync(join(home, ".ikigai/config.json"), JSON.stringify({ model: configured }));
  return {
    server,
    run,
    models: () => server.requests.map((request) => (request as unknown as { model: string }).model),
  };
}

test("a resumed session keeps its model, unless the command line names another", async () => {
  const { server, run, models } = await resumed("openai-compatible/beta");
  expect(await run(["-c"], server.env)).toEqual({
    exitCode: 0,
    stdout: "Done.\n",
    stderr: "This session continues with openai-compatible/alpha; the configured model is openai-compatible/beta.\n",
  });
  expect(await run(["-c", "--model", "gamma"], server.env)).toEqual({ exitCode: 0, stdout: "Done.\n", stderr: "" });
  expect(await run(["-c"], server.env)).toMatchObject({ exitCode: 0 });
  expect(await run([], server.env)).toEqual({ exitCode: 0, stdout: "Done.\n", stderr: "" });
  expect(models()).toEqual(["alpha", "alpha", "gamma", "gamma", "beta"]);
});

test("a session whose model cannot be used now continues with the configured one, and says so", async () => {
  const { run } = await resumed("offline");
  const { exitCode, stderr } = await run(["-c", "--allow", "bash"], {});
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringContaining(
      "This session used openai-compatible/alpha, which cannot be used now. openai-compatible has no base URL now. " +
        "It continues with offline/plain-requests.",
    ),
  });
});

test("a session whose model cannot be used now fails without another model, and says why", async () => {
  const { run } = await resumed(undefined);
  const { exitCode, stderr } = await run(["-c"], {});
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringMatching(/which cannot be used now\. .*\nNo model is set up\. .*ikigai setup/),
  });
});

test("words stand for models, and the mode plan may have its own", async () => {
  const HOME = await tempDir();
  const server = await startModel([]);
  const env = { HOME, ...server.env };
  const asked = async (...args: string[]) => {
    expect(await ikigai(["-p", "run echo again", ...args], { env })).toMatchObject({ exitCode: 0 });
    return (server.requests.at(-1) as unknown as { model: string }).model;
  };
  for (const [key, value] of [
    ["model", "openai-compatible/work"],
    ["models.fast", "openai-compatible/small"],
    ["models.plan", "openai-compatible/thinker"],
  ] as const)
    expect((await ikigai(["config", "set", key, value], { env })).exitCode).toBe(0);
  expect(await asked()).toBe("work");
  expect(await asked("--model", "fast")).toBe("small");
  expect(await asked("--permission-mode", "plan")).toBe("thinker");
  expect(await asked("--permission-mode", "plan", "--model", "openai-compatible/other")).toBe("other");
  const terminal = await openTerminal([], { isFull: true, env });
  await terminal.waitFor("openai-compatible/work");
  terminal.type("/permissions plan\r");
  await terminal.waitFor("openai-compatible/thinker");
  terminal.type("/permissions ask\r");
  await terminal.waitFor(/ask ·.*openai-compatible\/work/);
  const unset = await ikigai(["-p", "x", "--model", "smart"], { env });
  expect([unset.exitCode, unset.stderr]).toEqual([
    2,
    expect.stringContaining("config set models.smart PROVIDER/MODEL"),
  ]);
});
