import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile } from "../../src/ere/index.ts";

/** A pattern of a public suite with the result that glibc and musl agree on. */
interface Vector {
  readonly pattern: string;
  readonly ignoreCase?: boolean;
  readonly matches?: readonly string[];
  readonly others?: readonly string[];
  /** The message, if the pattern is invalid. */
  readonly refused?: string;
}

function vectorsOf(suite: string): Vector[] {
  const lines = readFileSync(new URL(`fixtures/${suite}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.map((line): Vector => JSON.parse(line));
}

/** The result of `compile` with the same pattern and texts. */
function outcome({ pattern, ignoreCase = false, matches = [], others = [] }: Vector) {
  try {
    const regex = compile(pattern, { ignoreCase });
    const isMatch = (text: string) => regex.test(Buffer.from(text));
    return { pattern, matches: matches.filter(isMatch), others: others.filter((text) => !isMatch(text)) };
  } catch (error) {
    return { pattern, refused: (error as Error).message };
  }
}

test.each([
  ["testregex", 160],
  ["rxspencer", 15],
])("agrees with the suite %s", (suite, patternCount) => {
  const vectors = vectorsOf(suite);
  expect(vectors).toHaveLength(patternCount);
  const expected = vectors.map(({ pattern, matches = [], others = [], refused }) =>
    refused === undefined ? { pattern, matches, others } : { pattern, refused },
  );
  expect(vectors.map(outcome)).toEqual(expected);
});
