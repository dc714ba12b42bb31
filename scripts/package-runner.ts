import { basename, dirname } from "node:path";
import { type RunnerTask, type RunnerTestFile, TestRunner } from "vitest";

/** A run of whole packages takes every third test of a file with the comment `@module-tag sampled`. */
const sampled = "sampled";
const nth = 3;

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
    const tests = files.filter(({ tags }) => tags?.includes(sampled)).map(testsIn);
    for (const [index, test] of tests.flatMap((ofFile) => [...ofFile.entries()]))
      if (index % nth > 0 && test.mode === "run") test.mode = "skip";
  }
}

function testsIn(task: RunnerTask): RunnerTask[] {
  return "tasks" in task ? task.tasks.flatMap(testsIn) : [task];
}
