import { expect, test } from "vitest";
import { find, treeOf } from "./find.ts";

const names = Array.from({ length: 3_000 }, (_, index) => `${String(index).padStart(4, "0")}-é"\n.txt`);
const plain = names.map((name) => name.replace("\n", ""));
const [tree, plainTree] = [await treeOf(...names), await treeOf(...plain)];
const limited = (maxBytes: number) => ({ env: { IKIGAI_MAX_OUTPUT_BYTES: `${maxBytes}` } });

test("prints everything when run by hand", async () => {
  const { result } = await find(tree, { pattern: "*" });
  expect(result).toEqual({ output: names.join("\n"), count: 3_000 });
});

test.each([150, 1_000, 20_000])(
  "cuts the text to %i bytes at the end of a line, and still counts all",
  async (maxBytes) => {
    const { result, stdout } = await find(plainTree, { pattern: "*" }, limited(maxBytes));
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(maxBytes);
    expect(Buffer.byteLength(stdout)).toBeGreaterThan(maxBytes - 100);
    const lines = String(result?.output).split("\n");
    expect(result).toEqual({ output: plain.slice(0, lines.length).join("\n"), count: 3_000, truncated: true });
  },
);

test.each([150, 1_000, 20_000])("cuts the array to %i bytes, and still counts all", async (maxBytes) => {
  const { result, stdout } = await find(tree, { pattern: "*", format: "json" }, limited(maxBytes));
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(maxBytes);
  expect(Buffer.byteLength(stdout)).toBeGreaterThan(maxBytes - 100);
  const files = result?.files as string[];
  expect(result).toEqual({ files: names.slice(0, files.length), count: 3_000, truncated: true });
});

test("does not cut what fits exactly", async () => {
  const cwd = await treeOf("first-file", "second-file", "third-file");
  const whole = (await find(cwd, { pattern: "*" })).stdout;
  expect((await find(cwd, { pattern: "*" }, limited(whole.length))).stdout).toBe(whole);
  expect((await find(cwd, { pattern: "*" }, limited(whole.length - 1))).result).toMatchObject({
    count: 3,
    truncated: true,
  });
});

test("keeps no more paths than fit into the answer, however many there are", async () => {
  const cwd = await treeOf(...Array.from({ length: 20 }, (_, index) => `d/${index}-dir/x`));
  // Each `d/..` leads back: 20 ** 4 paths, but only a few directories' entries in memory.
  const pattern = `d/${"*/../".repeat(3)}*`;
  const env = { ...limited(4_096).env, NODE_OPTIONS: "--max-old-space-size=8" };
  const { result } = await find(cwd, { pattern }, { env });
  expect(result).toMatchObject({ count: 20 ** 4, truncated: true });
});
