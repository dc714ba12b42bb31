import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { ownerProblem } from "../src/index.ts";
import { tempDir } from "./temp-dir.ts";

/** A user other than root; this process acts as that one until the test ends. */
function becomeStranger(): void {
  process.seteuid?.(65_534);
  onTestFinished(() => process.seteuid?.(0));
}

test.runIf(userInfo().uid === 0)("advises to take over only the user's own directory (needs root)", async () => {
  const home = await tempDir();
  chmodSync(home, 0o755);
  const all = join(home, ".ikigai");
  mkdirSync(join(all, "sessions"), { recursive: true });
  chownSync(all, 65_534, 65_534);
  const central = await tempDir();
  chmodSync(central, 0o755);
  vi.stubEnv("HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
  becomeStranger();
  expect(ownerProblem(all, all)).toBeUndefined();
  const inside = join(all, "sessions");
  expect(ownerProblem(inside, all)).toMatch(`${inside} belongs to root. To make it yours: sudo chown -R `);
  expect(ownerProblem("/root/.ikigai/config.json", "/root/.ikigai")).toBe(
    "/root belongs to root. Set HOME or IKIGAI_HOME to a directory of your own.",
  );
  expect(ownerProblem(join(central, "sessions"), central)).toBe(
    `${central} belongs to root. Sessions and settings cannot be saved there. To save them, set IKIGAI_HOME to a directory of your own.`,
  );
});
