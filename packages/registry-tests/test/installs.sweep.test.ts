import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, inject, test } from "vitest";
import { newMachine } from "./machine.ts";
import { released } from "./released.ts";
import { root, version } from "./repository.ts";

const { registry } = await released();
const user = await newMachine([`registry=${registry}`]);

const packages = ["apps/cli", ...readdirSync(join(root, "packages")).map((folder) => `packages/${folder}`)].filter(
  (folder) => !JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")).private,
);

/** The commands under "Install" in the READMEs; create-tool is not installed. */
const installs = packages.flatMap((folder) => {
  const text = readFileSync(join(root, folder, "README.md"), "utf8");
  const { name } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const [, block] = /^## Install\n(?:(?!## ).*\n)*?```sh registry\n([^`]*)^```/m.exec(text) ?? [];
  return block === undefined ? [] : [{ folder, name, install: block.split("\n")[0] ?? "" }];
});

test("nearly every README has an install command", () => {
  expect(packages.filter((folder) => !installs.some((found) => found.folder === folder))).toEqual([
    "packages/create-tool",
  ]);
  for (const { name, install } of installs) expect(install.split(" ")).toContain(name);
});

/** Other tests install the command and all libraries, so `npm test` follows only every fourth README. */
const stride = inject("isThorough") ? 1 : 4;

test.each(installs.filter((_, index) => index % stride === 1 % stride))(
  "$folder is installed by: $install",
  async ({ name, install }) => {
    const cwd = await tempDir({ "package.json": "{}" });
    await user.shell(install, { cwd });
    const modules = /(-g|--global)\b/.test(install) ? join(user.home, "prefix/lib") : cwd;
    const installed = JSON.parse(readFileSync(join(modules, "node_modules", name, "package.json"), "utf8"));
    expect(installed).toMatchObject({ name, version });
  },
);
