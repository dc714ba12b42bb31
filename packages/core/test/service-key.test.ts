import { mkdirSync, rmdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "@ikigai/testing";
import { expect, test } from "vitest";
import { copies, serviceStage } from "./service-stage.ts";
import { untilGone } from "./serving-tool.ts";

/** A limit of its own for tests that would wait without end for a service that does not end. */
const limitMs = 60_000;

test.each([
  ["another environment", () => ({ env: { ...process.env, SECRET: "no longer there" } })],
  ["a directory that was recreated", ({ cwd }: { cwd: string }) => recreated(cwd)],
])(
  "ends a service and starts it again for a call with %s",
  async (_what, different) => {
    const stage = await serviceStage({ SECRET: "secret" });
    const cwd = join(stage.options.cwd, "work");
    mkdirSync(cwd);
    const { pid } = await stage.answer({}, { cwd });
    expect(await stage.answer({ mode: "environment" }, { cwd, ...different({ cwd }) })).toMatchObject({
      count: 1,
      cwd,
    });
    expect(isRunning(Number(pid))).toBe(false);
  },
  limitMs,
);

function recreated(cwd: string) {
  rmdirSync(cwd);
  // Reuses the old directory's inode number, so that the new one gets another.
  mkdirSync(`${cwd}-other`);
  mkdirSync(cwd);
  return {};
}

test(
  "lets a service finish its calls before it is started again, and shows no call another one's secret",
  async () => {
    const { answer, started } = await serviceStage();
    const env = (secret: string) => ({ env: { ...process.env, PID_FILE: "/dev/null", SECRET: secret } });
    const first = answer({ mode: "environment", wait_ms: 300 }, env("one"));
    const second = answer({ mode: "environment" }, env("two"));
    const [one, two] = await Promise.all([first, second]);
    expect(one).toMatchObject({ secret: "one", count: 1 });
    expect(two).toMatchObject({ secret: "two", count: 1 });
    expect(await answer({ mode: "environment" })).toMatchObject({ secret: null, count: 1 });
    expect(started()).toHaveLength(1);
  },
  limitMs,
);

test("starts a service again whose file has been replaced", async () => {
  const [tool] = await copies("one");
  const { answer } = await serviceStage({}, tool);
  const { pid } = await answer();
  utimesSync(tool?.path ?? "", 1, 1);
  expect(await answer()).toMatchObject({ count: 1 });
  await untilGone(pid);
});

test("gives two conversations a service each", async () => {
  const { answer } = await serviceStage();
  const { pid } = await answer();
  expect(await answer({}, { sessionId: "another" })).toMatchObject({ count: 1 });
  expect(await answer()).toMatchObject({ count: 2, pid });
});
