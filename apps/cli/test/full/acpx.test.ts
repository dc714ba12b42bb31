// @module-tag sampled
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { bin, cleanEnv } from "../ikigai.ts";

const acpx = fileURLToPath(new URL("../../node_modules/acpx/dist/cli.js", import.meta.url));
const isNew = Number(process.versions.node.split(".")[0]) >= 22;

/** Runs one prompt through acpx, a client of the protocol that others wrote. */
async function run(options: readonly string[], prompt: string) {
  const cwd = await tempDir({ "notes.txt": "alpha\nbeta\n" });
  const agent = `${process.execPath} ${bin} acp --model offline`;
  const env = await cleanEnv();
  const args = [acpx, "--agent", agent, ...options, "exec", prompt];
  // acpx fails if a call was denied.
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env }).catch(
    (error: { readonly stdout: string }) => error,
  );
  return { stdout, notes: readFileSync(join(cwd, "notes.txt"), "utf8") };
}

const edit = "replace beta with gamma in notes.txt";

describe.skipIf(!isNew)("with acpx (needs Node 22)", () => {
  test("a file is read", async () => {
    const { stdout } = await run([], "read notes.txt");
    expect(stdout).toContain("[done] end_turn");
    expect(stdout).toContain("beta");
  });

  test("a denied edit changes nothing", async () => {
    const { stdout, notes } = await run(["--deny-all"], edit);
    expect(notes).toBe("alpha\nbeta\n");
    expect(stdout).toContain("The user denied this call.");
  });

  test("an approved edit is shown as a diff", async () => {
    const { stdout, notes } = await run(["--approve-all", "--format", "json"], edit);
    expect(notes).toBe("alpha\ngamma\n");
    expect(stdout).toMatch(/"session\/request_permission".*"type":"diff"/);
  });
});
