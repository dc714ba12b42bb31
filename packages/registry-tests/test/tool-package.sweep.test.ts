// Promise 10 of SECURITY.md.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, inject, test } from "vitest";
import { type Machine, newMachine } from "./machine.ts";
import { signUp } from "./registry.ts";
import { released } from "./released.ts";

const { registry } = await released();

let author: Machine;
let user: Machine;

beforeAll(async () => {
  author = await newMachine([`registry=${registry}`, await signUp(registry, "author")]);
  user = await newMachine([`registry=${registry}`]);
  await user.shell("npm install --global @ikigai/cli");
});

/** Publishes a package with these files. */
async function publish(manifest: object, files: Readonly<Record<string, string>>): Promise<void> {
  const folder = join(author.home, `${Math.random()}`);
  const all = { ...files, "package.json": JSON.stringify({ version: "1.0.0", ...manifest }) };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
  await author.shell("npm publish --access=public", { cwd: folder });
}

async function call(name: string, args: object): Promise<unknown> {
  const { stdout } = await user.run("ikigai", ["tool", "call", name, JSON.stringify(args)]);
  return JSON.parse(stdout).result;
}

function record(
  home = join(user.home, ".ikigai"),
): Record<string, { version: string; integrity?: string; resolved?: string }> {
  return JSON.parse(readFileSync(join(home, "tools.json"), "utf8")).packages;
}

/** A tool whose answer comes from another package. */
const greetTool = `#!/usr/bin/env node
  const schema = { name: "greet", description: "Greets", parameters: { type: "object", properties: {} } };
  console.log(JSON.stringify(process.argv[2] === "--schema" ? schema : { output: require("@me/greeting") }));\n`;

test("a package is installed with its dependencies, and none of its scripts run", async () => {
  await publish({ name: "@me/greeting", main: "index.js" }, { "index.js": "module.exports = 'hello';\n" });
  const tool = greetTool;
  const manifest = {
    name: "@me/greet",
    ikigai: { tools: ["./bin/greet-tool"] },
    dependencies: { "@me/greeting": "^1.0.0" },
    scripts: { install: `touch ${user.home}/ran`, postinstall: `touch ${user.home}/ran` },
  };
  await publish(manifest, { "bin/greet-tool": tool });
  const { stdout } = await user.shell("ikigai tool add @me/greet --yes");
  expect(stdout).toContain("\n  2 files, 1 dependency\n    bin/greet-tool\n    package.json\n  tool ");
  expect(await call("greet", {})).toEqual({ output: "hello" });
  expect(existsSync(join(user.home, "ran"))).toBe(false);
  // With --project everything is inside the project.
  const cwd = join(user.home, "project");
  await user.shell("mkdir project && cd project && ikigai tool add @me/greet --project --yes");
  await user.shell("ikigai tool remove greet");
  const { stdout: answer } = await user.shell("ikigai tool call greet {}", { cwd });
  expect(JSON.parse(answer)).toEqual({ tool_success: true, result: { output: "hello" } });
  expect(record(join(cwd, ".ikigai"))).toHaveProperty("@me/greet");
  // A clone without the uncommitted files gets the same version, although there is a newer one.
  await publish({ ...manifest, version: "1.1.0" }, { "bin/greet-tool": tool });
  await user.shell("rm -r .ikigai/packages && ikigai trust --yes && ikigai tool update --project --yes", { cwd });
  expect(record(join(cwd, ".ikigai"))["@me/greet"]?.version).toBe("1.0.0");
  expect(JSON.parse((await user.shell("ikigai tool call greet {}", { cwd })).stdout).tool_success).toBe(true);
  await user.shell("ikigai tool update --project --yes", { cwd });
  expect(record(join(cwd, ".ikigai"))["@me/greet"]?.version).toBe("1.1.0");
});

test.runIf(inject("isThorough"))("dependencies keep their versions until the package requires others", async () => {
  const greeting = (version: string) =>
    publish({ name: "@me/greeting", version, main: "index.js" }, { "index.js": `module.exports = "${version}";\n` });
  const greet = (version: string, wanted: string) =>
    publish(
      { name: "@me/late", version, ikigai: { tools: ["./greet-tool"] }, dependencies: { "@me/greeting": wanted } },
      { "greet-tool": greetTool },
    );
  await greeting("2.0.0");
  await greet("1.0.0", "^2.0.0");
  await user.shell("ikigai tool add @me/late --yes");
  const added = record()["@me/late"];
  await greeting("2.1.0");
  expect((await user.shell("ikigai tool update --yes")).stdout).toContain("@me/late 1.0.0 is up to date.\n");
  // Another machine has only the record.
  await user.shell("rm -r .ikigai/packages && ikigai tool update @me/late --yes");
  expect(record()["@me/late"]).toEqual(added);
  expect(await call("greet", {})).toEqual({ output: "2.0.0" });
  await greet("1.1.0", "^2.0.0");
  await user.shell("ikigai tool update @me/late --yes");
  expect(record()["@me/late"]?.version).toBe("1.1.0");
  expect(await call("greet", {})).toEqual({ output: "2.0.0" });
  await greet("1.2.0", "^2.1.0");
  await user.shell("ikigai tool add @me/late --yes");
  expect(await call("greet", {})).toEqual({ output: "2.1.0" });
});

test.each([
  ["@me/nothing", /E404.*npm config get registry/],
  ["@me/greet@9", /ETARGET.*npm view @me\/greet versions/],
])("says what is wrong with %s", async (source, reason) => {
  await expect(user.shell(`ikigai tool add ${source} --yes`)).rejects.toThrow(reason);
});

test("reports that the registry cannot be reached", async () => {
  const env = { npm_config_registry: "http://127.0.0.1:9/" };
  const add = user.shell("ikigai tool add @me/other-tool --yes", { env });
  await expect(add).rejects.toThrow(/it cannot reach the registry: .*ECONNREFUSED.* Check the network/);
});
