import { basename, dirname } from "node:path";
import { type RunnerTask, type RunnerTestFile, TestRunner } from "vitest";

/**
 * A run of whole packages takes only some tests. In a file with the comment `@module-tag tables`, of those that one line defines, the rows
 * of a table, it takes the first and every ninth; in a file with `@module-tag sampled` also every fourth of its other tests.
 */
const nth = { row: 9, other: 4 };

/** Runs each test file in the folder of its package, wherever the run has started. */
export default class PackageRunner extends TestRunner {
  override onCollectStart(file: RunnerTestFile): void {
    let folder = dirname(file.filepath);
    while (basename(folder) !== "test") folder = dirname(folder);
    process.chdir(dirname(folder));
    super.onCollectStart(file);
  }

  onCollected(files: RunnerTestFile[]): void {
    if (process.env.IKIGAI_TEST_SAMPLE === "") return;
    for (const file of files) {
      const isSampled = file.tags?.includes("sampled");
      if (isSampled || file.tags?.includes("tables")) sample(testsIn(file), isSampled ? nth.other : 1);
    }
  }
}

function sample(tests: readonly RunnerTask[], nthOther: number): void {
  const byLine = new Map<string, RunnerTask[]>();
  for (const test of tests) {
    const line = JSON.stringify(test.location ?? test.id);
    byLine.set(line, [...(byLine.get(line) ?? []), test]);
  }
  const groups = [...byLine.values()];
  for (const rows of groups.filter(({ length }) => length > 1)) keepEvery(nth.row, rows);
  keepEvery(nthOther, groups.filter(({ length }) => length === 1).flat());
}

function keepEvery(count: number, tests: readonly RunnerTask[]): void {
  for (const [index, test] of tests.entries()) if (index % count > 0 && test.mode === "run") test.mode = "skip";
}

function testsIn(task: RunnerTask): RunnerTask[] {
  return "tasks" in task ? task.tasks.flatMap(testsIn) : [task];
}
