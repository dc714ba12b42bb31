import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];
afterAll(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

/** A directory with these files, until the test file ends. `@ikigai/testing`, which has a better one, depends on this package. */
export async function tempDir(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "ikigai-system-")));
  made.push(dir);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content);
  return dir;
}
