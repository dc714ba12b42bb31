// @module-tag tables
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describeHost } from "@ikigai/testing/host";
import { test } from "vitest";
import { bundle } from "./bundle.ts";

// A program that calls tools through this package passes the host kit.

const program = `
import { delimiter } from "node:path";
import { chatToolMessages } from "@ikigai/adapters/openai";
import { discover } from "@ikigai/core";

const [places = "", name, text = ""] = process.argv.slice(2);
const directories = places.split(delimiter).reverse().map((path) => ({ path, scope: "user" }));
const registry = await discover({ directories, home: process.env.IKIGAI_HOME, projectDir: process.cwd() });
if (name === undefined) {
  const tools = registry.tools.map(({ schema: { name, description, parameters } }) => ({ name, description, parameters }));
  console.log(JSON.stringify({ tools, skipped: registry.failed }));
} else {
  const calls = [{ id: "c1", type: "function", function: { name, arguments: text } }];
  const [message] = await chatToolMessages(registry, calls);
  console.log(message.content);
}
`;

const dir = await tempDir({ "example.mjs": program });
await bundle(dir);

describeHost([process.execPath, join(dir, "bundle.mjs")], { test });
