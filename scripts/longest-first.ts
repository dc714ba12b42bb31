import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Starts the slowest test files first, so that none of them runs alone at the end. Files not named here follow in vitest's own
 * order: last duration, or else size.
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
