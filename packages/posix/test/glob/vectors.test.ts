import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { find, makeTree } from "./tree.ts";

/** An entry of a directory, with the patterns that find it. */
interface Vector {
  /** As in `makeTree`. */
  readonly entry: string;
  /** The patterns that find the entry and nothing else. */
  readonly found?: readonly string[];
  /** The patterns that find nothing. */
  readonly notFound?: readonly string[];
  /** By pattern: what else is found. */
  readonly instead?: Readonly<Record<string, readonly string[]>>;
}

function vectorsOf(suite: string): Vector[] {
  const lines = readFileSync(new URL(`fixtures/${suite}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.map((line): Vector => JSON.parse(line));
}

test.each([
  ["picomatch", 203],
  ["libc-test", 16],
])("agrees with the suite %s", (suite, entryCount) => {
  const vectors = vectorsOf(suite);
  expect(vectors).toHaveLength(entryCount);
  for (const { entry, found = [], notFound = [], instead = {} } of vectors) {
    const cwd = makeTree(entry);
    const expected = { ...Object.fromEntries(found.map((pattern) => [pattern, [entry]])), ...instead };
    for (const pattern of notFound) expected[pattern] = [];
    const patterns = Object.keys(expected);
    const actual = Object.fromEntries(patterns.map((pattern) => [pattern, find(cwd, pattern)]));
    expect(actual, entry).toEqual(expected);
  }
});
