// @module-tag sampled
import { join } from "node:path";
import { call, ownExecutable, tempDir } from "@ikigai/testing";
import { afterEach, describe, expect, test } from "vitest";
import { MatchList } from "../src/match-list.ts";
import { FileSearch } from "../src/search-file.ts";
import { searchFiles } from "../src/search-files.ts";

const bin = ownExecutable(import.meta.url);

const mebibyte = 1_048_576;

/** Finds nothing, so that matches are those of the search in WebAssembly. */
const blind = { test: () => false, search: () => -1, locate: () => undefined };

const options = {
  pattern: "needle",
  ignoreCase: false,
  maxBytes: 1_000,
  isShared: false,
  stopAtMs: Number.POSITIVE_INFINITY,
};

/** A file of a size in bytes that ends in a match. */
async function fileOf(bytes: number): Promise<string> {
  const line = "0123456789abcde\n";
  const text = line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes - 7);
  return join(await tempDir({ a: `${text}\nneedle` }), "a");
}

/** The number of matches that a search of one file finds in WebAssembly. */
async function foundInFile(bytes: number, isLarge = false): Promise<number> {
  const found = new MatchList(options);
  new FileSearch(blind, { ...options, isLarge }).search(await fileOf(bytes), found);
  return found.count;
}

describe("WebAssembly searches", () => {
  afterEach(() => {
    delete process.env.IKIGAI_NO_SIMD;
  });

  test("from 24 MiB on if the size is known", async () => {
    const search = async (bytes: number) => (await searchFiles([await fileOf(bytes)], blind, options)).count;
    expect(await search(24 * mebibyte - 1)).toBe(0);
    expect(await search(24 * mebibyte)).toBe(1);
  });

  test("after 32 MiB if it is not", async () => {
    expect(await foundInFile(32 * mebibyte - 1)).toBe(0);
    expect(await foundInFile(32 * mebibyte)).toBe(1);
  });

  test("nothing with IKIGAI_NO_SIMD", async () => {
    expect(await foundInFile(100, true)).toBe(1);
    process.env.IKIGAI_NO_SIMD = "1";
    expect(await foundInFile(100, true)).toBe(0);
  });
});

test("the answers with and without WebAssembly are the same", async () => {
  const line = "a line of text, Needle or no needle in it, and a Nadel\n";
  const cwd = await tempDir({
    "a.txt": `${line.repeat(420_000)}last needle`,
    // Longer than the buffer, so that the memory grows.
    "b.txt": `${"x".repeat(3_000_000)} needle\n${"y\n".repeat(500_000)}Nadel \0\n`,
    "c.txt": `${"z".repeat(262_144 - 3)}\nneedle\n`,
  });
  for (const pattern of ["needle$", "le in|xx n|Nadel$", "[0-9]"]) {
    for (const ignore_case of [false, true]) {
      const search = async (env: Record<string, string>) =>
        (await call(bin, { pattern, ignore_case }, { cwd, env: { IKIGAI_MAX_OUTPUT_BYTES: "65536", ...env } })).result;
      const answer = await search({});
      expect(answer).toMatchObject({ count: expect.any(Number) });
      expect(await search({ IKIGAI_NO_SIMD: "1" })).toEqual(answer);
    }
  }
});

test("searches where Node has no WebAssembly", async () => {
  const cwd = await tempDir({ a: `${"a line\n".repeat(4_000_000)}needle\n` });
  const { result } = await call(bin, { pattern: "needle" }, { cwd, env: { NODE_OPTIONS: "--jitless" } });
  expect(result).toEqual({ output: "a:4000001: needle", count: 1 });
});
