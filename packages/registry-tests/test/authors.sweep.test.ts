import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { newDeveloper } from "./developer.ts";
import { type Machine, newMachine } from "./machine.ts";
import { signUp } from "./registry.ts";
import { released } from "./released.ts";

// Installs an author's dependencies and runs every check, several times.

const release = await released();
const { registry } = release;

/** Whatever takes longer hangs, in milliseconds. */
const slow = { timeout: 400_000 };

let author: Machine;
let user: Machine;

beforeAll(async () => {
  if (!inject("isThorough")) return;
  author = await newDeveloper(release, [await signUp(registry, "maker")]);
  user = await newMachine([`registry=${registry}`]);
  await user.shell("npm install --global @ikigai/cli");
});

async function call(name: string, args: object): Promise<unknown> {
  const { stdout } = await user.run("ikigai", ["tool", "call", name, JSON.stringify(args)]);
  return JSON.parse(stdout).result;
}

function record(): Record<string, { version: string }> {
  return JSON.parse(readFileSync(join(user.home, ".ikigai/tools.json"), "utf8")).packages;
}

describe.runIf(inject("isThorough"))("a tool made by npm create @ikigai/tool", () => {
  test("installs, passes its tests and is published unchanged", slow, async () => {
    const { stdout } = await author.shell("npm create --yes @ikigai/tool @me/count-tool");
    const steps = /^ {2}cd .*$(\n {2}.*$)+/m.exec(stdout)?.[0] ?? "";
    expect(steps).toContain("npm publish");
    const { stderr } = await author.shell(steps.replace(/^.*ikigai tool add.*$/m, ""));
    expect(stderr).not.toContain("npm warn publish");
    const { stdout: published } = await author.shell("npm view @me/count-tool --json");
    expect(JSON.parse(published)).toMatchObject({ version: "0.1.0", bin: { "count-tool": "dist/count-tool" } });
    expect(JSON.parse(published).ikigai).toMatchObject({ check: { ok: true } });
    expect(JSON.parse(published).dependencies).toBeUndefined();
  });

  test("is added in exactly the requested version", async () => {
    const { stdout } = await user.shell("ikigai tool add @me/count-tool@0.1.0 --yes");
    expect(stdout).toContain("@me/count-tool 0.1.0\n");
    expect(stdout).toContain("Pre-started: may start before it is called.");
    expect(await call("count", { text: "one two\n" })).toEqual({ lines: 1, words: 2 });
    expect(record()["@me/count-tool"]).toMatchObject({
      version: "0.1.0",
      integrity: expect.stringMatching(/^sha512-/),
      resolved: `${registry}@me/count-tool/-/count-tool-0.1.0.tgz`,
    });
    expect((await user.shell("ikigai tool list")).stdout).toContain("@me/count-tool 0.1.0 from @me/count-tool@0.1.0");
  });

  test("is updated when its author publishes a new version and its user asks for it", slow, async () => {
    const folder = join(author.home, "count-tool");
    const source = join(folder, "src/tool.ts");
    writeFileSync(source, readFileSync(source, "utf8").replace("Count the lines", "Count all lines"));
    await author.shell("npm version minor --no-git-tag-version && npm publish", { cwd: folder });
    expect((await user.shell("ikigai tool update --yes")).stdout).toBe(
      "@me/count-tool 0.1.0 is up to date, pinned to this version. For another one: ikigai tool add @me/count-tool@VERSION\n",
    );
    await user.shell("ikigai tool add @me/count-tool@0.1 --yes");
    expect(record()["@me/count-tool"]?.version).toBe("0.1.0");
    await user.shell("ikigai tool add @me/count-tool --yes");
    const { stdout } = await user.shell("ikigai tool show count");
    expect(stdout).toContain("Count all lines");
    expect(record()["@me/count-tool"]?.version).toBe("0.2.0");
  });
});

test.runIf(inject("isThorough"))(
  "a package in Python is tested, published and added as it was made",
  slow,
  async () => {
    const { stdout } = await author.shell("npm create --yes @ikigai/tool @me/snake-tool -- --lang python");
    const steps = /^ {2}cd .*$(\n {2}.*$)+/m.exec(stdout)?.[0] ?? "";
    expect(steps).toContain("npm publish");
    await author.shell(steps.replace(/^.*ikigai tool add.*$/m, ""));
    await user.shell("ikigai tool add @me/snake-tool --yes");
    expect(await call("snake", { text: "one two\n" })).toEqual({ lines: 1, words: 2 });
    // Without --, npm drops the option and keeps its value.
    expect((await author.shell("npm create --yes @ikigai/tool bare-tool --lang python")).stdout).toContain(
      "Created bare-tool",
    );
    expect(existsSync(join(author.home, "bare-tool/bare-tool"))).toBe(true);
  },
);
