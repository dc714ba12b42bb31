import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { schema, world } from "./world.ts";

/** A tool that leaves a file beside itself when it is asked for its schema. */
const noisy = `#!/bin/sh\necho '${schema("noisy", { description: "asked" })}'\n: > "$0.asked"\n`;

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** The schema that ships with a file of this content. */
function shippedWith(content: string, declared: unknown = JSON.parse(schema("noisy", { description: "shipped" }))) {
  return JSON.stringify({ [hashOf(content)]: declared });
}

const place = { "home/": "", "project/": "" };

test("does not start a shipped tool whose file is the one that was built", async () => {
  const { root, discover } = await world({
    ...place,
    "system/noisy-tool": noisy,
    "system/schemas.json": shippedWith(noisy),
  });
  const { tools } = await discover();
  expect(tools).toMatchObject([{ name: "noisy", schema: { description: "shipped" }, warnings: [] }]);
  expect(existsSync(join(root, "system/noisy-tool.asked"))).toBe(false);
  // From the cache too.
  expect((await discover()).tools[0]?.schema.description).toBe("shipped");
});

test("asks a shipped tool whose file was changed, and any with fresh", async () => {
  const { root, discover } = await world({
    ...place,
    "system/noisy-tool": noisy,
    "system/schemas.json": shippedWith(noisy),
  });
  expect((await discover({ fresh: true })).tools[0]?.schema.description).toBe("asked");
  writeFileSync(join(root, "system/noisy-tool"), noisy.replace("asked", "changed"));
  expect((await discover()).tools[0]?.schema.description).toBe("changed");
});

test("asks a tool of the user with the same content, also where a schemas.json is beside it", async () => {
  const { discover } = await world({
    ...place,
    "home/tools/noisy-tool": noisy,
    "home/tools/schemas.json": shippedWith(noisy),
  });
  expect((await discover()).tools[0]?.schema.description).toBe("asked");
});

test.each([
  ["that is not JSON", "{"],
  ["without that file", shippedWith("another")],
  ["with no object for it", shippedWith(noisy, "schema")],
  ["with a schema that cannot be used", shippedWith(noisy, { name: 1 })],
  ["that names a property of every object", JSON.stringify({ constructor: {} })],
])("asks the tool with a schemas.json %s", async (_, schemas) => {
  const { discover } = await world({ ...place, "system/noisy-tool": noisy, "system/schemas.json": schemas });
  expect((await discover()).tools[0]?.schema.description).toBe("asked");
});

test("names a shipped tool by its file and warns about another name in its schema", async () => {
  const { discover } = await world({
    ...place,
    "system/other-tool": noisy,
    "system/schemas.json": shippedWith(noisy),
  });
  expect((await discover()).tools).toMatchObject([{ name: "other", warnings: [expect.stringContaining("noisy")] }]);
});
