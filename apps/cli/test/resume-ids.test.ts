import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

test("a session that continues in another directory says so", async () => {
  const [cwd, other, HOME] = [await tempDir(), await tempDir(), await tempDir()];
  await ikigai(["-p", "!echo hi", "--model", "offline"], { cwd, env: { HOME } });
  const [id = ""] = readdirSync(join(HOME, ".ikigai/sessions")).filter((name) => name.endsWith(".jsonl"));
  const resumed = (where: string, ...args: string[]) =>
    ikigai(["-p", "x", "--model", "offline", "--resume", basename(id, ".jsonl"), ...args], {
      cwd: where,
      env: { HOME },
    });
  const text = `This session began in ${cwd}. It continues in ${other}, where its relative paths mean other files.\n`;
  for (const args of [["--fork"], []]) expect((await resumed(other, ...args)).stderr).toContain(text);
  expect((await resumed(cwd, "--fork")).stderr).not.toContain("This session began");
});

test("--resume without a terminal lists the sessions, without a model; an unknown ID says how to list them", async () => {
  const [cwd, HOME] = [await tempDir(), await tempDir()];
  const run = (...args: string[]) => ikigai(args, { cwd, env: { HOME } });
  const none = "No session to continue in this directory. Start one: ikigai";
  const unknown = "ikigai: No session zzz found.";
  expect(await run("--resume")).toMatchObject({ exitCode: 1, stdout: "", stderr: `ikigai: ${none}\n` });
  expect(await run("--continue", "--model", "offline")).toMatchObject({ exitCode: 1, stderr: `ikigai: ${none}\n` });
  expect(await run("-p", "x", "--model", "offline", "--resume", "zzz")).toMatchObject({
    exitCode: 1,
    stderr: `${unknown} No session was started in this directory.\n`,
  });
  expect((await run("-p", "x", "--model", "offline", "-r=zzz")).stderr).toContain(unknown);
  await run("-p", "!echo first", "--model", "offline");
  expect(await run("--resume")).toMatchObject({
    exitCode: 2,
    stdout: expect.stringMatching(/^\d{8}-\d{6}-[0-9a-f]+ {2}\S.* {2}!echo first\n$/),
    stderr: expect.stringContaining("pass one of the above as --resume ID"),
  });
  expect(await run("-p", "x", "--model", "offline", "--resume", "zzz")).toMatchObject({
    exitCode: 1,
    stderr: `${unknown} To choose one: ikigai --resume\n`,
  });
});
