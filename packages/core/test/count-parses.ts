import { onTestFinished } from "vitest";

/** Counts how often this process parses a text that contains the mark, until the test ends. */
export function countParses(mark: string): () => number {
  const { parse } = JSON;
  let count = 0;
  JSON.parse = (json: string, ...rest) => {
    if (String(json).includes(mark)) count++;
    return parse(json, ...rest);
  };
  onTestFinished(() => {
    JSON.parse = parse;
  });
  return () => count;
}
