import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

/** A user whose files are not in ~/.ikigai. */
async function stage() {
  const IKIGAI_HOME = join(await tempDir(), "elsewhere");
  const env = { HOME: await tempDir(), IKIGAI_HOME, OPENAI_COMPATIBLE_BASE_URL: "" };
  const run = (args: readonly string[], typed?: string) => ikigai(args, { env, ...(typed && { typed }) });
  return { own: IKIGAI_HOME, run };
}

test("messages name IKIGAI_HOME, not ~/.ikigai", async () => {
  const { own, run } = await stage();
  const ends = [
    await run(["hook", "list"]),
    await run(["--model", "offline"], "/load\n/memory\n"),
    await run(["-p", "hello", "--model", "openai-compatible/m"]),
  ];
  const said = ends.map(({ stdout, stderr }) => stdout + stderr).join("");
  expect(said).not.toContain("~/.ikigai");
  expect(said).toContain(`They are executables in ${own}/hooks/EVENT/: ikigai help hooks\n`);
  expect(said).toContain(`No skills. To add one, create ${own}/skills/NAME/SKILL.md.`);
  expect(said).toContain(`No AGENTS.md here, and none in ${own}. `);
  expect(said).toContain(`providers.openai-compatible.baseUrl in ${own}/config.json.`);
});

test("without it, they name ~/.ikigai", async () => {
  const { stdout } = await ikigai(["hook", "list"], { env: { HOME: await tempDir() } });
  expect(stdout).toContain("executables in ~/.ikigai/hooks/EVENT/: ");
});
