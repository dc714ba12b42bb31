import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { newMachine } from "./machine.ts";
import { signUp } from "./registry.ts";
import { released } from "./released.ts";
import { root } from "./repository.ts";

const { registry } = await released();

test.runIf(inject("isThorough"))("the tutorial leads from ten lines to a published package", async () => {
  const author = await newMachine([`registry=${registry}`, await signUp(registry, "writer")]);
  await author.shell("npm install --global @ikigai/cli");
  const page = readFileSync(join(root, "docs/writing-a-tool.md"), "utf8");
  const blocks = [...page.matchAll(/^```sh( registry)?\n(.*?)^```/gms)].map(([, , text]) => String(text));
  // Each block runs in its own shell, in the home directory.
  let last = "";
  for (const block of blocks) last = (await author.shell(`set -e\n${block}`)).stdout;
  expect(blocks.length).toBeGreaterThan(4);
  expect(last).toMatch(/\{"tool_success":true,"result":\{"free_mib":\d+\}\}\n$/);
  expect((await author.shell("ikigai tool list")).stdout).toContain("@me/disk-tools 1.0.0");
});
