import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { beforeAll, expect, test } from "vitest";
import { type Machine, newMachine } from "./machine.ts";
import { signUp } from "./registry.ts";
import { released } from "./released.ts";
import { root } from "./repository.ts";

const { registry } = await released();

let user: Machine;

beforeAll(async () => {
  user = await newMachine([`registry=${registry}`]);
});

const packages = ["apps/cli", ...readdirSync(join(root, "packages")).map((folder) => `packages/${folder}`)].filter(
  (folder) => !JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")).private,
);

/** What a README says under "Install", where that is a command; create-tool is not installed. */
const installs = packages.flatMap((folder) => {
  const text = readFileSync(join(root, folder, "README.md"), "utf8");
  const [block] = /(?<=^## Install\n[^#]*^```sh registry\n)[^`]*(?=^```)/m.exec(text) ?? [];
  return block === undefined ? [] : [{ folder, install: block.split("\n")[0] ?? "" }];
});

test("nearly every README says how its package is installed", () => {
  expect(packages.filter((folder) => !installs.some((found) => found.folder === folder))).toEqual([
    "packages/create-tool",
  ]);
});

test.each(installs)("$folder is installed by: $install", async ({ folder, install }) => {
  const { name } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  expect(install).toContain(name);
  const cwd = await tempDir({ "package.json": "{}" });
  await user.shell(install, { cwd });
  const where = /(-g|--global)\b/.test(install) ? "--global" : "";
  expect((await user.shell(`npm ls ${where} ${name}`, { cwd })).stdout).toContain(`${name}@`);
});

test("a tool grows from ten lines to a published package, by what the tutorial says", async () => {
  const author = await newMachine([`registry=${registry}`, await signUp(registry, "writer")]);
  await author.shell("npm install --global @ikigai/cli");
  const page = readFileSync(join(root, "docs/writing-a-tool.md"), "utf8");
  const blocks = [...page.matchAll(/^```sh( registry)?\n(.*?)^```/gms)].map(([, , text]) => String(text));
  // Each in a shell of its own, which begins at home.
  let last = "";
  for (const block of blocks) last = (await author.shell(`set -e\n${block}`)).stdout;
  expect(blocks.length).toBeGreaterThan(4);
  expect(last).toMatch(/\{"tool_success":true,"result":\{"free_mib":\d+\}\}\n$/);
  expect((await author.shell("ikigai tool list")).stdout).toContain("@me/disk-tools 1.0.0");
});
