import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite, TestRunner } from "vitest";

const root = join(import.meta.dirname, "..");

/** The lines of `sampled-tests.txt`: a file of tests or a folder, and of how many rows of its tables a quick run takes one. */
const strides = readFileSync(join(import.meta.dirname, "sampled-tests.txt"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(" "))
  .map(([path = "", stride]) => ({ path: join(root, path), stride: Number(stride) }));

/** In `npm run test:slow`, and where a row may be the only test that notices something. */
const takesAll = process.env.IKIGAI_TEST_SLOW === "1" || process.env.IKIGAI_TEST_ROWS === "all";

/** Runs each test file in the folder of its package, wherever the run has started, and only some rows of the tables in some files. */
export default class PackageRunner extends TestRunner {
  override onCollectStart(file: RunnerTestFile): void {
    let folder = dirname(file.filepath);
    while (basename(folder) !== "test") folder = dirname(folder);
    process.chdir(dirname(folder));
    super.onCollectStart(file);
  }

  onCollected(files: RunnerTestFile[]): void {
    if (takesAll) return;
    for (const file of files) sample(file, strideOf(file.filepath));
  }
}

/** The last line that fits; they are sorted. A sweep says itself what it takes. */
function strideOf(file: string): number {
  if (file.endsWith(".sweep.test.ts")) return 1;
  return strides.findLast(({ path }) => file.startsWith(path))?.stride ?? 1;
}

/** Skips the rows of each `test.each` and `describe.each` but the first, the one `stride` after it, and so on. */
function sample(suite: RunnerTestSuite, stride: number): void {
  if (stride === 1) return;
  const rows = new Map<string, number>();
  for (const task of suite.tasks) {
    if (task.each) {
      const table = `${task.location?.line}:${task.location?.column}`;
      const row = rows.get(table) ?? 0;
      rows.set(table, row + 1);
      if (row % stride !== 0) skip(task);
    }
    if (task.type === "suite" && task.mode !== "skip") sample(task, stride);
  }
}

function skip(task: RunnerTestCase | RunnerTestSuite): void {
  task.mode = "skip";
  if (task.type === "suite") for (const child of task.tasks) skip(child);
}
