import { basename, dirname } from "node:path";
import { type RunnerTestFile, TestRunner } from "vitest";

/** Runs each test file in the folder of its package, wherever the run has started. */
export default class PackageRunner extends TestRunner {
  override onCollectStart(file: RunnerTestFile): void {
    let folder = dirname(file.filepath);
    while (basename(folder) !== "test") folder = dirname(folder);
    process.chdir(dirname(folder));
    super.onCollectStart(file);
  }
}
