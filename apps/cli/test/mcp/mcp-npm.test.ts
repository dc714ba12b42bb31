// @module-tag sampled
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startRegistry } from "../npm-registry.ts";
import { mcpHome, scriptedServer } from "./mcp-home.ts";

const echo = { name: "echo", description: "Says it", inputSchema: { type: "object", properties: {} } };

/** A home whose registry has the scripted server, with these fields in its manifest. */
async function withRegistry(manifest: object = { bin: "./server.mjs" }) {
  const world = await mcpHome();
  const files = { "server.mjs": readFileSync(scriptedServer, "utf8") };
  const { url, requests } = await startRegistry({ "scripted-server": manifest }, files);
  writeFileSync(join(world.home, ".npmrc"), `registry=${url}/\nfetch-retries=0\n`);
  const add = (spec: string, ...args: readonly string[]) =>
    world.run(["mcp", "add", "test", "--yes", `npm:${spec}`, ...args]);
  return { ...world, add, requests };
}

describe("mcp add npm:PACKAGE", () => {
  test("fetches the package once, and runs its command with the given arguments", async () => {
    const { add, call, own, names, requests, run } = await withRegistry();
    const script = JSON.stringify({ tools: [echo] });
    const { exitCode, stdout } = await add("scripted-server", "--", script);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("its tools:  npm:scripted-server '{")]);
    expect(names("tools")).toEqual(["mcp__test__echo-tool"]);
    const record = JSON.parse(readFileSync(join(own, "tools.json"), "utf8")).packages["mcp-test"];
    expect(record).toMatchObject({
      version: "1.0.0",
      source: "mcp:test",
      integrity: expect.stringMatching(/^sha512-/),
    });
    const count = requests.length;
    expect((await call("mcp__test__echo", { message: "hi" })).envelope.result).toEqual({ output: "Echo: hi" });
    expect(requests).toHaveLength(count);
    expect(await run(["mcp", "test", "test"])).toMatchObject({ exitCode: 0 });
    const listed: { name: string }[] = JSON.parse((await run(["tool", "list", "--json"])).stdout);
    expect(listed.find(({ name }) => name === "mcp__test__echo")).toMatchObject({ changed: false });
  });

  test("keeps the package when nothing is new, and keeps the arguments in an update", async () => {
    const { add, run, own } = await withRegistry();
    await add("scripted-server", "--", JSON.stringify({ tools: [echo] }));
    const folders = () => readdirSync(join(own, "packages", "mcp-test"));
    const before = folders();
    expect(await run(["mcp", "update", "--all", "--yes"])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("test is up to date."),
    });
    expect(folders()).toEqual(before);
  });

  test.each([
    ["without a command", {}, "scripted-server has no command to run."],
    [
      "with several commands",
      { bin: { a: "./server.mjs", b: "./server.mjs" } },
      "scripted-server has several commands",
    ],
    ["whose command is outside", { bin: { a: "../../package.json" } }, "is not a file of the package"],
    ["whose command is missing", { bin: { a: "./none.mjs" } }, "is not a file of the package"],
  ])("of a package %s fails and writes nothing", async (_, manifest, why) => {
    const { add, names } = await withRegistry(manifest);
    const { exitCode, stderr } = await add("scripted-server");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(why)]);
    for (const place of ["tools", "packages", "data"]) expect(names(place)).toEqual([]);
  });

  test.each(["npm:", "npm:../x", "npm:https://example.org/x.tgz", "npm:--global"])(
    "%s is a usage error",
    async (spec) => {
      const { run } = await mcpHome();
      const { exitCode, stderr } = await run(["mcp", "add", "test", "--yes", spec]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining("Expected npm:PACKAGE or npm:PACKAGE@VERSION")]);
    },
  );
});
