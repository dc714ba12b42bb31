import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { wrappedBridge, wrapperText } from "../src/server/package-files.ts";

const line = JSON.stringify({
  name: "mcp__s__t",
  description: "it's\nEOT\n$(touch pwned) `touch pwned`",
  parameters: {},
});

/** Writes a wrapper whose bridge prints its arguments. */
async function wrapperIn(node: string) {
  const directory = await tempDir({ "it's a bridge.mjs": "console.log(JSON.stringify(process.argv.slice(2)));" });
  const places = { node, bridge: join(directory, "it's a bridge.mjs"), packageDir: join(directory, "$(x) pack") };
  const path = join(directory, "mcp__s__t-tool");
  writeFileSync(path, wrapperText({ line, name: "mcp__s__t", server: "s", version: "0.1.0" }, places));
  chmodSync(path, 0o755);
  return { path, directory };
}

test("a wrapper prints its schema without starting anything, whatever the texts in it", async () => {
  const { path, directory } = await wrapperIn("/nowhere/node");
  expect(execFileSync(path, ["--schema"], { encoding: "utf8", cwd: directory, env: {} })).toBe(`${line}\n`);
  expect(execFileSync("ls", [directory], { encoding: "utf8" })).not.toContain("pwned");
});

test.each([
  ["of its own", process.execPath],
  ["on the PATH, if its own is gone", "/nowhere/node"],
])("a wrapper starts the bridge by the Node %s", async (_, node) => {
  const { path, directory } = await wrapperIn(node);
  expect(JSON.parse(execFileSync(path, ["--help"], { encoding: "utf8" }))).toEqual([
    join(directory, "$(x) pack"),
    "mcp__s__t",
    "--help",
  ]);
});

test("a wrapper names its bridge, and uses that of its host if its own is gone", async () => {
  const { path, directory } = await wrapperIn(process.execPath);
  const [own, moved] = ["it's a bridge.mjs", "it's another.mjs"].map((name) => join(directory, name));
  const text = readFileSync(path, "utf8");
  expect(wrappedBridge(text)).toBe(own);
  renameSync(own ?? "", moved ?? "");
  const call = (env: object) => JSON.parse(execFileSync(path, { encoding: "utf8", env: { ...process.env, ...env } }));
  expect(call({ IKIGAI_MCP_BRIDGE: moved })).toEqual([join(directory, "$(x) pack"), "mcp__s__t"]);
  for (const env of [{ IKIGAI_MCP_BRIDGE: own }, { IKIGAI_MCP_BRIDGE: undefined }])
    expect(call(env)).toEqual({
      error: expect.stringContaining(`MCP server s is missing: ${own}. ikigai has been moved`),
      error_code: "TOOL_UNAVAILABLE",
      help: { steps: ["ikigai mcp update s --yes"] },
    });
});

test("a wrapper says where it comes from", () => {
  const places = { node: "node", bridge: "bridge", packageDir: "pack" };
  const wrapped = { line, name: "mcp__s__t", server: "s", version: "0.1.0" };
  expect(wrapperText(wrapped, places)).toContain(
    "\n# Made by ikigai 0.1.0: ikigai mcp add s. Do not edit; ikigai mcp update s\n",
  );
  expect(wrapperText({ ...wrapped, isTemporary: true }, places)).toContain(
    "\n# Made by ikigai 0.1.0 for one conversation\n",
  );
});
