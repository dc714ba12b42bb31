import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { call, checkTool } from "../src/index.ts";

const directory = fileURLToPath(new URL("../../../examples", import.meta.url));

/** The program an example is written for; where it is missing the example cannot be tried. */
function interpreterOf(name: string): string {
  const [shebang = ""] = readFileSync(`${directory}/${name}`, "utf8").split("\n");
  return shebang.split(/[ /]/).at(-1) ?? "";
}

const examples = readdirSync(directory)
  .filter((name) => name.endsWith("-tool"))
  .map((name) => ({ name, path: `${directory}/${name}`, interpreter: interpreterOf(name) }));

for (const { name, path, interpreter } of examples) {
  const isMissing = spawnSync(interpreter, ["-c", ""]).error !== undefined;
  test.skipIf(isMissing)(`examples/${name} keeps the protocol (needs ${interpreter})`, async () => {
    const { results } = await checkTool(path);
    expect(results.filter(({ level, status }) => level === "must" && status === "failed")).toEqual([]);
  });
}

test("examples/git-changes-tool tells what git tells", async () => {
  const { result } = await call(`${directory}/git-changes-tool`, {}, { cwd: directory });
  expect(result).toEqual({ changes: expect.any(String) });
  expect((await call(`${directory}/git-changes-tool`, {}, { cwd: "/" })).result).toEqual({
    error: "Not a git repository: /",
    error_code: "NOT_A_REPOSITORY",
  });
});
