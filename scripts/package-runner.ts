import { basename, dirname } from "node:path";
import { type RunnerTask, type RunnerTestFile, TestRunner } from "vitest";

/**
 * A run of whole packages takes only some tests. Those that one line defines are the rows of a table; any other test is a table of one
 * row. In a file with the comment `@module-tag tables` it takes the first and every ninth row of each table, in a file with
 * `@module-tag sampled` the first row of every fourth table.
 */
const nth = { row: 9, table: 4 };

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
      if (!isSampled && !file.tags?.includes("tables")) continue;
      for (const [table, rows] of tablesIn(file).entries())
        for (const [row, test] of rows.entries()) {
          const isTaken = isSampled ? table % nth.table === 0 && row === 0 : row % nth.row === 0;
          if (!isTaken) test.mode = "skip";
        }
    }
  }
}

function tablesIn(file: RunnerTestFile): readonly (readonly RunnerTask[])[] {
  const byLine = new Map<string, RunnerTask[]>();
  for (const test of testsIn(file).filter(({ mode }) => mode === "run")) {
    const line = JSON.stringify(test.location ?? test.id);
    byLine.set(line, [...(byLine.get(line) ?? []), test]);
  }
  return [...byLine.values()];
}

function testsIn(task: RunnerTask): RunnerTask[] {
  return "tasks" in task ? task.tasks.flatMap(testsIn) : [task];
}
