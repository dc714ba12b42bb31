import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Starts the files that take longest first, so that none of them is alone at the end. What is not named here follows by
 * vitest's own measure: how long it took last time, or else its size.
 */
const longest = [
  /\/registry-tests\//,
  /\.sweep\.test\.ts$/,
  /\/testing\/test\//,
  /\/executable\.test\.ts$/,
  /\/full\//,
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const index = longest.findIndex((pattern) => pattern.test(moduleId));
  return index < 0 ? longest.length : index;
}
