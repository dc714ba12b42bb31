// Promise 10 of SECURITY.md.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TreeEntry } from "@ikigai/testing";
import { expect, test } from "vitest";
import { callTool, registryChanged, trust } from "../src/index.ts";
import { toolDirectories } from "../src/internal.ts";
import { hasBubblewrap } from "./sandbox-stage.ts";
import { circumstances, schema, tool, world } from "./world.ts";

/** A tool that says where its data is, and leaves a file beside itself when it is asked for its schema. */
const made = (name: string) =>
  tool(schema(name), `cat > /dev/null; printf '{"dir":"%s"}' "$IKIGAI_DATA_DIR"`).replace(
    "then ",
    'then : > "$0.asked"; ',
  );

const temporaryDir = "session/packages/mcp-x/tools";

/** A world in which the host has made tools for one conversation. */
async function stage(files: Readonly<Record<string, TreeEntry>>) {
  const place = await world(files);
  const { root, home, projectDir } = place;
  const path = join(root, temporaryDir);
  const own = { path, scope: "user", temporary: { home: join(root, "session"), prefix: "x__" } } as const;
  const directories = [...toolDirectories({ systemDir: join(root, "system"), home, projectDir }), own];
  return { ...place, path, find: (more = {}) => place.discover({ directories, ...more }) };
}

/** What the host writes beside a tool that it has made. */
const schemasOf = (text: string, name: string) =>
  JSON.stringify({ [createHash("sha256").update(text).digest("hex")]: JSON.parse(schema(name)) });

const known = (name: string) => ({
  [`${temporaryDir}/${name}-tool`]: made(name),
  [`${temporaryDir}/schemas.json`]: schemasOf(made(name), name),
});

test("runs no tool of one conversation for its schema, and caches nothing about it", async () => {
  const { home, path, find } = await stage({ ...known("x__a"), "home/tools/own-tool": made("own") });
  const { tools } = await find();
  expect(tools.map(({ name, scope }) => [name, scope])).toEqual([
    ["own", "user"],
    ["x__a", "user"],
  ]);
  expect(existsSync(join(path, "x__a-tool.asked"))).toBe(false);
  const cache = readFileSync(join(home, "cache/schemas.jsonl"), "utf8");
  expect([cache.includes('"own"'), cache.includes("x__a")]).toEqual([true, false]);
});

test("asks such a tool if its file is another than the one that was written", async () => {
  const { home, path, find } = await stage({ ...known("x__a"), [`${temporaryDir}/x__a-tool`]: `${made("x__a")}\n` });
  expect((await find()).tools.map(({ name }) => name)).toEqual(["x__a"]);
  expect(existsSync(join(path, "x__a-tool.asked"))).toBe(true);
  expect(existsSync(join(home, "cache/schemas.jsonl"))).toBe(false);
});

test.each(hasBubblewrap ? [false, true] : [false])(
  "its data is in the conversation's directory, sandbox: %s",
  async (isSandboxed) => {
    const { root, home, projectDir, find } = await stage(known("x__a"));
    const sandbox = { home, userHome: join(root, "home"), network: false, writable: [], readable: [], hidden: [] };
    const options = await circumstances({ cwd: projectDir, projectDir, home, ...(isSandboxed && { sandbox }) });
    const { envelope } = await callTool(await find(), "x__a", "{}", options);
    expect(envelope).toMatchObject({ result: { dir: join(root, "session/data/mcp-x") } });
    expect(existsSync(join(home, "data"))).toBe(false);
  },
);

test("replaces all tools of its prefix, also a trusted project's, and no others", async () => {
  const { home, projectDir, path, find } = await stage({
    ...known("x__a"),
    "home/tools/x__a-tool": made("x__a"),
    "home/tools/x__b-tool": made("x__b"),
    "home/tools/x_c-tool": made("x_c"),
    "project/.ikigai/tools/x__d-tool": made("x__d"),
  });
  await trust({ home, projectDir });
  const { tools } = await find();
  expect(tools.map(({ name, path: at, shadows }) => [name, dirname(at), shadows])).toEqual([
    ["x__a", path, []],
    ["x_c", join(home, "tools"), []],
  ]);
});

test("leaves the others until it has tools, and is noticed when it does", async () => {
  const { root, path, find } = await stage({ "home/tools/x__b-tool": made("x__b") });
  // The first time, the tool is asked and leaves its file.
  await find();
  const before = await find();
  expect(before.tools.map(({ name }) => name)).toEqual(["x__b"]);
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = join(root, "unfinished");
  mkdirSync(unfinished);
  writeFileSync(join(unfinished, "x__a-tool"), made("x__a"), { mode: 0o755 });
  expect(registryChanged(before)).toBe(false);
  renameSync(unfinished, path);
  expect(registryChanged(before)).toBe(true);
  expect((await find()).tools.map(({ name }) => name)).toEqual(["x__a"]);
});
