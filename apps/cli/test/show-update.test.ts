import { expect, test } from "vitest";
import { renderUpdate } from "../src/commands/tool-add/render-offer.ts";

const entry = { source: "s", version: "1", sha256: "0", tools: {} };

test.each([
  [40, 120, 0, 0],
  [41, 121, 1, 1],
])("of %s files and %s lines, only counts %s files and %s lines", (files, lines, moreFiles, moreLines) => {
  const added = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);
  const differences = [
    { path: "first", kind: "added" as const, lines: { before: [], after: added(lines) } },
    ...added(files - 1).map((path) => ({ path, kind: "removed" as const })),
  ];
  const text = renderUpdate(entry, { ...entry, sha256: "1" }, differences);
  expect(text.includes("… 1 more line\n")).toBe(moreLines > 0);
  expect(text.includes("… 1 more file\n")).toBe(moreFiles > 0);
  expect(text.match(/^ {4}\+ /gm)).toHaveLength(120);
});
