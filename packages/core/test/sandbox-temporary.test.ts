// Promise 2 of SECURITY.md.
import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { hasBubblewrap, sandboxStage } from "./sandbox-stage.ts";

test.skipIf(process.getuid?.() !== 0)("removes only this user's leftovers (needs root)", async () => {
  // It looks for leftovers once per process, which other tests share.
  vi.resetModules();
  const { temporaryDirectory } = await import("@ikigai/sandbox");
  const dead = spawnSync("true").pid;
  const own = join(tmpdir(), `ikigai-tmp.${dead}.sandbox-own`);
  const foreign = join(tmpdir(), `ikigai-tmp.${dead}.sandbox-foreign`);
  for (const path of [own, foreign]) mkdirSync(`${path}/inside`, { recursive: true });
  chownSync(foreign, 65_534, 65_534);
  temporaryDirectory();
  expect([existsSync(own), existsSync(`${foreign}/inside`)]).toEqual([false, true]);
});

test.skipIf(!hasBubblewrap)(
  "hides secrets that variables name in a project directly below a temporary directory",
  async () => {
    const stage = await sandboxStage();
    const projectDir = mkdtempSync(join(tmpdir(), "project-"));
    onTestFinished(() => rmSync(projectDir, { recursive: true, force: true }));
    const path = join(projectDir, "kube.yaml");
    writeFileSync(path, "secret");
    const script = `ls ${projectDir}; cat ${path} 2> /dev/null`;
    const env = { ...process.env, KUBECONFIG: path, SCRIPT: script };
    const { output } = await stage.run("", { env, cwd: projectDir, projectDir });
    expect(output).toContain("kube.yaml");
    expect(output).not.toContain("secret");
  },
);
