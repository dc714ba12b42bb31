import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, tempDir } from "@ikigai/testing";
import { afterEach, describe, expect, test } from "vitest";
import { MatchList } from "../src/match-list.ts";
import { FileSearch } from "../src/search-file.ts";

const bin = fileURLToPath(new URL("../dist/grep-tool", import.meta.url));

/** How much JavaScript searches before WebAssembly takes over: reads of 256 KiB. */
const plainBytes = 2 * 1_048_576;

/** Finds nothing, so that matches are those of the search in WebAssembly. */
const blind = { test: () => false, search: () => -1 };

/** The number of matches that WebAssembly finds in a file of `bytes`, which ends in a match. */
async function foundBySimd(bytes: number): Promise<number> {
  const line = "0123456789abcde\n";
  const cwd = await tempDir({
    a: `${line.repeat(Math.ceil(bytes / line.length))}`.slice(0, bytes - 7).concat("\nneedle"),
  });
  const options = { pattern: "needle", ignoreCase: false, maxBytes: 1_000, stopAtMs: Number.POSITIVE_INFINITY };
  const found = new MatchList(options.maxBytes);
  new FileSearch(blind, options).search(join(cwd, "a"), found);
  return found.count;
}

describe("a search", () => {
  afterEach(() => {
    delete process.env.IKIGAI_NO_SIMD;
  });

  test("starts WebAssembly after 2 MiB, and not before", async () => {
    expect(await foundBySimd(plainBytes - 1)).toBe(0);
    expect(await foundBySimd(plainBytes)).toBe(1);
  });

  test("does not start it with IKIGAI_NO_SIMD", async () => {
    process.env.IKIGAI_NO_SIMD = "1";
    expect(await foundBySimd(plainBytes)).toBe(0);
  });
});

test("the answers with and without WebAssembly are the same", async () => {
  const line = "a line of text, Needle or no needle in it, and a Nadel\n";
  const cwd = await tempDir({
    "a.txt": `${line.repeat(60_000)}last needle`,
    // Longer than the buffer, so that the memory grows.
    "b.txt": `${"x".repeat(3_000_000)} needle\n${"y\n".repeat(500_000)}Nadel \0\n`,
    "c.txt": `${"z".repeat(262_144 - 3)}\nneedle\n`,
  });
  for (const pattern of ["needle$", "^needle", "needle|Nadel .", "le in|xx n|Nadel$", "[0-9]"]) {
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
  const cwd = await tempDir({ a: `${"a line\n".repeat(400_000)}needle\n` });
  const { result } = await call(bin, { pattern: "needle" }, { cwd, env: { NODE_OPTIONS: "--jitless" } });
  expect(result).toEqual({ output: "a:400001: needle", count: 1 });
});
