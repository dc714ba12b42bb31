// Promise 1 of SECURITY.md.
import { chmodSync, chownSync, existsSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { findHooks } from "../src/hooks.ts";
import { trust } from "../src/index.ts";
import { hookScript, hookWorld } from "./hook-files.ts";
import { schema, tool, world } from "./world.ts";

const asRoot = test.skipIf(process.geteuid?.() !== 0);

/** A tool that leaves a mark when it runs. */
const marking = tool(schema("mine"), "").replace("#!/bin/sh\n", '#!/bin/sh\ntouch "$RAN_FILE"\n');

/** The user's tools, and whether any of them has run. */
async function ownTool() {
  const { root, home, discover } = await world({ "home/tools/mine-tool": { content: marking, mode: 0o755 } });
  const env = { ...process.env, RAN_FILE: join(root, "ran") };
  const found = async () => {
    const { tools, failed } = await discover({ env });
    return { names: tools.map(({ name }) => name), failed, hasRun: existsSync(env.RAN_FILE) };
  };
  return { file: join(home, "tools/mine-tool"), directory: join(home, "tools"), found };
}

test.each(["file", "directory"] as const)("a user's tool does not run if others can write its %s", async (what) => {
  const own = await ownTool();
  chmodSync(own[what], 0o757);
  const detail = `${own[what]} can be written by others (mode 757). To fix it: chmod go-w ${own[what]}`;
  expect(await own.found()).toMatchObject({ names: [], failed: [{ name: "mine", reason: "unsafe", detail }] });
  expect(await own.found()).toMatchObject({ hasRun: false });
  chmodSync(own[what], 0o755);
  expect(await own.found()).toEqual({ names: ["mine"], failed: [], hasRun: true });
});

asRoot("a user's tool does not run if it belongs to another user", async () => {
  const { file, found } = await ownTool();
  chownSync(file, 1_234, 1_234);
  const detail = `${file} belongs to another user (uid 1234). To fix it: if you trust it, chown 0 ${file}`;
  expect(await found()).toMatchObject({ names: [], failed: [{ reason: "unsafe", detail }], hasRun: false });
});

test.each([
  ["a link", 0o777, false],
  ["a link", 0o755, true],
  // Its owner alone can replace a file there.
  ["a link", 0o1777, true],
  ["a link to a link", 0o777, false],
])("a user's tool that is %s into a directory of mode %o runs: %s", async (what, mode, runs) => {
  const { file, found } = await ownTool();
  const shared = await tempDir();
  const [target, step] = [join(shared, "theirs"), join(shared, "step")];
  const real = what === "a link" ? target : join(await tempDir(), "theirs");
  renameSync(file, real);
  if (what !== "a link") symlinkSync(real, step);
  symlinkSync(what === "a link" ? target : step, file);
  chmodSync(shared, mode);
  const { failed, hasRun } = await found();
  expect(hasRun).toBe(runs);
  expect(failed).toEqual(
    runs ? [] : [expect.objectContaining({ reason: "unsafe", detail: expect.stringContaining(`${shared} can be`) })],
  );
});

test("a user's tool does not run if the links to it cannot be followed", async () => {
  const { file, found } = await ownTool();
  const shared = await tempDir();
  const step = Buffer.concat([Buffer.from(`${shared}/`), Buffer.from([0xff])]);
  renameSync(file, join(shared, "real"));
  symlinkSync(join(shared, "real"), step);
  symlinkSync(step, file);
  const detail = expect.stringContaining("leads through links that cannot be followed");
  expect(await found()).toMatchObject({
    names: [],
    failed: [{ name: "mine", reason: "unsafe", detail }],
    hasRun: false,
  });
});

test("a project's tool is approved by its content, whoever can write it", async () => {
  const made = await world({ "project/.ikigai/tools/mine-tool": { content: tool(schema("mine")), mode: 0o777 } });
  await trust(made);
  expect((await made.discover()).tools.map(({ name }) => name)).toEqual(["mine"]);
});

test.each([
  ["before-call/guard", 0o757],
  ["before-call", 0o777],
  ["", 0o777],
])("a user's hook is broken if others can write %j", async (name, mode) => {
  const made = await hookWorld({ "before-call/guard": hookScript("exit 0"), "stop/x": hookScript("exit 0") });
  const place = join(made.userHooks, name);
  const problems = async () =>
    (await findHooks(made).find("before-call")).hooks.map(({ name: hook, problem }) => [hook, problem]);
  expect(await problems()).toEqual([["before-call/guard", undefined]]);
  chmodSync(place, mode);
  const problem = `${place} can be written by others (mode ${mode.toString(8)}). To fix it: chmod go-w ${place}`;
  expect(await problems()).toEqual([["before-call/guard", problem]]);
});

asRoot("a user's hook is broken if it belongs to another user", async () => {
  const made = await hookWorld({ "prompt/x": hookScript("exit 0") });
  chownSync(join(made.userHooks, "prompt/x"), 1_234, 1_234);
  const { hooks } = await findHooks(made).find("prompt");
  expect(hooks).toMatchObject([{ problem: expect.stringContaining("belongs to another user (uid 1234)") }]);
});
