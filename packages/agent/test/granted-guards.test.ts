// Promise 10 of SECURITY.md.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { trust } from "@ikigai/core";
import { findHooks } from "@ikigai/core/hooks";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { type GrantedHook, guardsToGrant, openHooks } from "../src/hooks/open-hooks.ts";

/** A trusted project with guards, and what an agent of it gets. */
async function granting() {
  const hook = { content: "#!/bin/sh\n", mode: 0o755 };
  const root = await tempDir({
    "home/": "",
    "copy/": "",
    "project/.ikigai/hooks/before-call/a": hook,
    "project/.ikigai/hooks/before-call/bash/b": hook,
    "project/.ikigai/hooks/prompt/c": hook,
  });
  const [home, projectDir] = [join(root, "home"), join(root, "project")];
  await trust({ home, projectDir });
  const finder = findHooks({ home, projectDir });
  const granted = await guardsToGrant(finder);
  if ("broken" in granted) throw new Error(granted.problem);
  const at = (name: string) => join(projectDir, ".ikigai/hooks", name);
  const inAgent = (directory: string, hooks: readonly GrantedHook[] = granted.hooks) =>
    openHooks({ home, projectDir: directory }, { env: {} }, [{ directory: projectDir, hooks }]).finder;
  return { root, projectDir, finder, granted, at, inAgent };
}

const problems = (found: Awaited<ReturnType<ReturnType<typeof findHooks>["find"]>>) =>
  Object.fromEntries(found.hooks.map(({ name, tool, problem }) => [name, [tool, problem]]));

const lost = "it has changed or is gone since this agent was started";

test.each(["project", "copy"])("an agent in the %s finds the guards that it was granted", async (place) => {
  const { root, inAgent, granted } = await granting();
  expect(granted.hooks.map(({ name, tool }) => [name, tool])).toEqual([
    ["before-call/a", undefined],
    ["before-call/bash/b", "bash"],
  ]);
  const found = await inAgent(join(root, place)).find("before-call");
  expect(problems(found)).toEqual({
    "before-call/a": [undefined, undefined],
    "before-call/bash/b": ["bash", undefined],
  });
});

test.each([
  ["gone", "project"],
  ["gone", "copy"],
  ["changed", "project"],
  ["changed", "copy"],
  ["all gone", "project"],
  ["all gone", "copy"],
] as const)("one that is %s before the agent looks is broken, in the %s", async (what, place) => {
  const { root, projectDir, at, inAgent } = await granting();
  if (what === "changed") writeFileSync(at("before-call/bash/b"), "#!/bin/sh\nexit 0\n");
  else rmSync(what === "gone" ? at("before-call/bash/b") : join(projectDir, ".ikigai"), { recursive: true });
  const finder = inAgent(join(root, place));
  expect(finder.isEmpty()).toBe(false);
  const found = problems(await finder.find("before-call"));
  expect(found["before-call/bash/b"]).toEqual(["bash", lost]);
  // The other one is as it was, but the project has changed.
  expect(found["before-call/a"]).toEqual([undefined, lost]);
});

test("one that the user has approved again, with other content, is not what was granted", async () => {
  const { projectDir, root, at, inAgent } = await granting();
  const finder = inAgent(projectDir);
  writeFileSync(at("before-call/a"), "#!/bin/sh\nexit 0\n");
  await trust({ home: join(root, "home"), projectDir });
  expect(problems(await finder.find("before-call"))).toEqual({
    "before-call/a": [undefined, lost],
    "before-call/bash/b": ["bash", undefined],
  });
});

test.each(["before-call/a", "before-call/bash/b", "prompt/c"])(
  "nothing is granted while %s is broken",
  async (name) => {
    const { finder, at } = await granting();
    writeFileSync(at(name), "#!/bin/sh\nexit 0\n");
    expect(await guardsToGrant(finder)).toMatchObject({ problem: expect.any(String) });
  },
);
