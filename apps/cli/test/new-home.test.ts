import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { shippedToolNames } from "./shipped-tools.ts";

/** Logs every program that the process starts, one per line. */
const probe = `const { appendFileSync } = require("node:fs");
const children = require("node:child_process");
const { spawn } = children;
children.spawn = (file, args, options) => {
  appendFileSync(process.env.SPAWNED, [file, ...args].join(" ") + "\\n");
  return spawn(file, args, options);
};
require("node:module").syncBuiltinESMExports();`;

const userTool = `#!/bin/sh\necho '{"name":"mine","description":"Mine","parameters":{"type":"object"}}'\n`;

test("the first start in a new home runs --schema of every tool but the shipped ones", async () => {
  const dir = await tempDir({ "probe.cjs": probe, spawned: "", "home/.ikigai/tools/mine-tool": userTool });
  const { exitCode, stdout } = await ikigai(["tool", "list", "--json"], {
    env: {
      HOME: join(dir, "home"),
      NODE_OPTIONS: `--require=${join(dir, "probe.cjs")}`,
      SPAWNED: join(dir, "spawned"),
    },
  });
  expect(exitCode).toBe(0);
  const tools: { readonly name: string }[] = JSON.parse(stdout);
  expect(tools.map(({ name }) => name).sort()).toEqual([...shippedToolNames, "mine"].sort());
  const asked = readFileSync(join(dir, "spawned"), "utf8").match(/\S+-tool --schema/g);
  expect(asked).toEqual([join(dir, "home/.ikigai/tools/mine-tool --schema")]);
});
