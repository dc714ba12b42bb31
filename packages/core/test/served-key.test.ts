import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findTool } from "../src/index.ts";
import { isLinux, type ServingStage, servingStage, untilGone } from "./serving-tool.ts";
import { schema, tool, world } from "./world.ts";

const onLinux = test.runIf(isLinux);

/** A stage with its own copy of the fixture. */
async function ownStage(): Promise<ServingStage> {
  const { root, discover } = await world();
  const path = join(root, "system/serving-tool");
  copyFileSync(join(import.meta.dirname, "fixtures/serving-tool"), path);
  chmodSync(path, 0o755);
  return servingStage({}, findTool(await discover(), "serving") ?? missing());
}

/** Without it, the stage would have the fixture itself, which these tests would change. */
function missing(): never {
  throw new Error("The copy of the fixture was not found.");
}

onLinux.each([
  ["touched", ({ tool: { path } }: ServingStage) => utimesSync(path, 1, 1)],
  ["changed in mode", ({ tool: { path } }: ServingStage) => chmodSync(path, 0o700)],
])("starts a tool again that was %s", async (_what, change) => {
  const stage = await ownStage();
  const { pid } = await stage.answer();
  change(stage);
  expect(await stage.answer()).toMatchObject({ calls: 1 });
  await untilGone(pid);
});

onLinux("starts a tool as it is now", async () => {
  const stage = await ownStage();
  const { pid } = await stage.answer();
  writeFileSync(stage.tool.path, tool(schema("serving"), "cat > /dev/null; echo '{\"new\":true}'"));
  expect(await stage.answer()).toEqual({ new: true });
  await untilGone(pid);
});

onLinux("reports a tool that is no longer executable, as one-shot would", async () => {
  const stage = await ownStage();
  // Without directories of a project, the file is started and not its interpreter.
  const env = { ...stage.options.env, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
  const { pid } = await stage.answer({}, { env });
  chmodSync(stage.tool.path, 0o644);
  const { envelope } = await stage.call({}, { env });
  expect(envelope).toMatchObject({ error_code: "TOOL_UNAVAILABLE", error: expect.stringContaining("not executable") });
  await untilGone(pid);
});

onLinux.each(["node-here", "-S VAR=1 node-here", '-S -u OTHER --chdir . node-here --title="a b"'])(
  "starts a tool again whose interpreter has changed: env %s",
  async (words) => {
    const { root, discover } = await world({ "bin/": "" });
    const interpreter = join(root, "bin/node-here");
    writeFileSync(interpreter, `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
    chmodSync(interpreter, 0o755);
    const path = join(root, "system/serving-tool");
    const script = readFileSync(join(import.meta.dirname, "fixtures/serving-tool"), "utf8");
    writeFileSync(path, script.replace("#!/usr/bin/env node", `#!/usr/bin/env ${words}`));
    chmodSync(path, 0o755);
    const env = { PATH: `${join(root, "bin")}:${process.env.PATH}` };
    const found = findTool(await discover({ env: { ...process.env, ...env } }), "serving");
    const { answer } = await servingStage(env, found ?? missing());
    const { pid } = await answer();
    expect(await answer()).toMatchObject({ pid });
    utimesSync(interpreter, 1, 1);
    expect(await answer()).toMatchObject({ calls: 1 });
    await untilGone(pid);
  },
);

onLinux.each([
  ["another directory", { cwd: "/" }],
  ["another session", { sessionId: "another" }],
  ["another environment", { env: { ...process.env, PID_FILE: "/dev/null" } }],
])("starts another process for a call with %s, and ends the first", async (_what, different) => {
  const { answer } = await servingStage();
  const { pid } = await answer();
  expect(await answer({}, different)).toMatchObject({ calls: 1 });
  await untilGone(pid);
});

onLinux("starts another process for a directory that was recreated", async () => {
  const { answer, options } = await servingStage();
  const cwd = join(options.cwd, "work");
  mkdirSync(cwd);
  const { pid } = await answer({}, { cwd });
  expect(await answer({}, { cwd })).toMatchObject({ pid });
  rmdirSync(cwd);
  // Reuses the old directory's inode number, so that the new one gets another.
  mkdirSync(join(options.cwd, "other"));
  mkdirSync(cwd);
  expect(await answer({}, { cwd })).toMatchObject({ calls: 1, cwd });
  await untilGone(pid);
});
