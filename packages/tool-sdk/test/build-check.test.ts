// @module-tag sampled
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { call, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { buildSources as build, main, schema, toolSource as tool } from "./built-sources.ts";

const built = { status: 0, stderr: "" };

test("a tool runs in a project of ES modules, however it and its packages name Node's modules", async () => {
  const code = `import { basename } from "path";
import { readFile } from "fs/promises";
import fs, * as all from "fs";
import { Emitter, system } from "old";`;
  const said =
    '[basename("/a/b"), typeof readFile, fs.existsSync("/"), typeof all.statSync, new Emitter().on("a", () => {}).count(), system].join()';
  const { bin, ...end } = await build({
    "src/tool.ts": tool(code, said),
    "node_modules/old/package.json": '{"name":"old","version":"1.0.0","license":"MIT"}',
    "node_modules/old/index.js": `const EventEmitter = require("events");
exports.Emitter = class extends EventEmitter { count() { return this.listenerCount("a"); } };
const sameEmitter = require("node:events") === EventEmitter && require("events").once.name;
exports.system = [sameEmitter, typeof require("node:os").tmpdir].join();
`,
  });
  expect(end).toEqual(built);
  const copy = join(await tempDir({ "package.json": '{"type":"module"}' }), "x-tool");
  copyFileSync(bin, copy);
  expect((await call(copy, {})).result).toEqual({ said: "b,function,true,function,1,once,function" });
});

test.each([
  [
    "a log at the top level",
    { "src/tool.ts": tool('console.log("top");') },
    /^ikigai-build-tool: dist\/x-tool --schema must print one JSON object and nothing else\. Its first line: top\nPrint logs with console\.error\.\n$/,
  ],
  [
    "an object before the schema",
    { "src/tool.ts": tool('console.log("{}");') },
    /^ikigai-build-tool: dist\/x-tool --schema must print one JSON object and nothing else\. Its first line: \{\}\n/,
  ],
  [
    "an end at the top level",
    { "src/tool.ts": tool("process.exit(0);") },
    /^ikigai-build-tool: dist\/x-tool --schema printed nothing\. src\/main\.ts has to call serve, /,
  ],
  [
    "other parameters than those of its schema.ts",
    { "src/main.ts": `${main.replace("(x,", '({ ...x, parameters: { type: "array" } },')}`, "src/tool.ts": tool("") },
    /^ikigai-build-tool: dist\/x-tool --schema must print parameters with "type": "object"\.\n$/,
  ],
  [
    "a list as parameters",
    { "src/schema.ts": schema.replace('"object"', '"array"'), "src/tool.ts": tool("") },
    /^ikigai-build-tool: src\/schema\.ts: "parameters" must have "type": "object" and "properties": /,
  ],
  [
    "an answer without properties",
    { "src/schema.ts": schema.replace("properties: { said", "required: [], x: { said"), "src/tool.ts": tool("") },
    /^ikigai-build-tool: src\/schema\.ts: "output" must have "type": "object" and "properties": /,
  ],
  [
    "a default that its answer cannot have",
    { "src/schema.ts": schema.replace('"string"', '"integer", default: "many"'), "src/tool.ts": tool("") },
    /: "output" has a default at \/properties\/said that it does not allow: it must be integer\.\n$/,
  ],
  [
    "an alias of nothing",
    { "src/tool.ts": tool("", "1", 'aliases: { b: "nope" },') },
    /^ikigai-build-tool: dist\/x-tool --schema failed with exit code 1:\nError: aliases: "b" stands for "nope", which is not in the properties of parameters\.\n/,
  ],
  [
    "await at the top level",
    { "src/tool.ts": tool("await fetch('http://localhost');") },
    /^✘ \[ERROR\] await at the top level of a module is not supported: [\s\S]*src\/tool\.ts:2:0[\s\S]*Await it in run\.\n/,
  ],
])("the build fails because of %s", async (_, files, reason) => {
  const { bin, status, stderr } = await build(files);
  // A tool that was there before would still be.
  expect(existsSync(bin)).toBe(false);
  expect(stderr).toMatch(reason);
  expect(stderr).not.toContain("output format");
  expect(status).toBe(1);
});

test("says that import.meta is empty", async () => {
  const { status, stderr } = await build({ "src/tool.ts": tool("", "typeof import.meta.url") });
  expect(stderr).toMatch(
    /WARNING\] import\.meta is not supported: [\s\S]*src\/tool\.ts:3:[\s\S]*import it from a \.ts or \.json file/,
  );
  expect(stderr).not.toContain("output format");
  expect(status).toBe(0);
});

test("names what keeps a tool running after its schema", { timeout: 60_000 }, async () => {
  const { status, stderr } = await build({ "src/tool.ts": tool("setInterval(() => {}, 1_000);") });
  expect(stderr).toBe(
    "ikigai-build-tool: dist/x-tool --schema does not end: something at the top level of a module keeps it running (Timeout). Start it in run.\n",
  );
  expect(status).toBe(1);
});
