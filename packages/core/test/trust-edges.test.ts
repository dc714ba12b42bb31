// Promise 1 of SECURITY.md.
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { callTool, registryChanged, trust, trustStatus } from "../src/index.ts";
import { readProjectFiles } from "../src/trust/project-files.ts";
import { circumstances, schema, tool, world } from "./world.ts";

const maxFiles = 4_000;
const maxTotalBytes = 256 * 1_048_576;

const filesIn = (path: string) => readProjectFiles([{ path, prefix: "" }]);

test("reads 4,000 files of a project, and not one more", async () => {
  const dir = await tempDir();
  // Broken links count as files, and are faster to read.
  for (let file = 0; file < maxFiles; file++) symlinkSync("nowhere", join(dir, `link-${file}`));
  const most = await filesIn(dir);
  expect(most.problem).toBeUndefined();
  expect(most.files).toHaveLength(maxFiles);
  symlinkSync("nowhere", join(dir, "one-more"));
  expect((await filesIn(dir)).problem).toBe("It has more than 4000 files.");
});

test.each([
  ["tools/two/node_modules", ".ikigai/tools/two/node_modules, which a built tool does not need: remove it."],
  ["tools/a b", "'.ikigai/tools/a b'."],
])("says that most of too many files are in %s", async (full, place) => {
  const dir = await tempDir({ "tools/one/node_modules/": "", [`${full}/below/`]: "" });
  const fill = (path: string, count: number) => {
    for (let file = 0; file < count; file++) symlinkSync("nowhere", join(dir, path, `link-${file}`));
  };
  fill("tools/one/node_modules", 1_900);
  fill(full, 1_200);
  fill(`${full}/below`, 1_000);
  // Whichever is read first.
  const count = full === "tools/a b" ? 2_200 : 2_100;
  const { problem } = await filesIn(dir);
  expect(problem).toBe(`It has more than 4000 files, ${count} of the first 4000 in ${place}`);
});

test("reads 256 MiB of a project, and not a byte more", async () => {
  const dir = await tempDir({ a: "12345678", b: "" });
  truncateSync(join(dir, "b"), maxTotalBytes - 8);
  expect((await filesIn(dir)).problem).toBeUndefined();
  truncateSync(join(dir, "b"), maxTotalBytes - 7);
  expect((await filesIn(dir)).problem).toBe(`It has more than ${maxTotalBytes} bytes.`);
});

test("does not read a file that is larger than all of a project may be", async () => {
  const dir = await tempDir({ a: "" });
  truncateSync(join(dir, "a"), 2 ** 40);
  const readBytes = () => Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  const before = readBytes();
  expect((await filesIn(dir)).problem).toBe(`It has more than ${maxTotalBytes} bytes.`);
  expect(readBytes() - before).toBeLessThan(1_000_000);
});

test("reads 64 levels of directories, and not one more", async () => {
  const path = (levels: number) => `${"d/".repeat(levels)}file`;
  expect((await filesIn(await tempDir({ [path(64)]: "x" }))).problem).toBeUndefined();
  const { problem } = await filesIn(await tempDir({ [path(65)]: "x" }));
  expect(problem).toBe("It has directories more than 64 levels deep.");
});

// macOS creates no such names.
test.skipIf(process.platform !== "linux")("no project is trusted that has a name that is not UTF-8", async () => {
  const decoy = { "d/\ufffdlib": "decoy", "e/a": "", "f/a": "" };
  const dir = await tempDir(decoy);
  const odd = (place: string, before = "") =>
    Buffer.concat([Buffer.from(join(dir, place, before)), Buffer.from("/\xfflib", "latin1")]);
  expect((await filesIn(join(dir, "e"))).problem).toBeUndefined();
  writeFileSync(odd("d"), "evil");
  expect((await filesIn(join(dir, "d"))).problem).toContain("has a name that is not UTF-8");
  symlinkSync(Buffer.from("\xfflib", "latin1"), join(dir, "e/link"));
  expect((await filesIn(join(dir, "e"))).problem).toContain("has a name that is not UTF-8");
  // Through a link with a name that is.
  mkdirSync(odd("."));
  symlinkSync(odd("."), join(dir, "hop"));
  symlinkSync("../hop", join(dir, "f/link"));
  expect((await filesIn(join(dir, "f"))).problem).toContain("has a name that is not UTF-8");
});

test("does not store an approval of what cannot be trusted", async () => {
  const { home, projectDir } = await world({ "project/.ikigai/tools/a-tool": "a", "project/.ikigai/large": "" });
  const large = join(projectDir, ".ikigai/large");
  truncateSync(large, maxTotalBytes + 1);
  expect(await trust({ home, projectDir })).toMatchObject({ status: "untrusted", problem: expect.any(String) });
  rmSync(large);
  expect((await trustStatus({ home, projectDir })).status).toBe("untrusted");
});

test("reports a file named like a property of Object.prototype as new, not changed", async () => {
  const { home, projectDir } = await world({ "project/.ikigai/tools/a-tool": "a" });
  await trust({ home, projectDir });
  symlinkSync("tools/a-tool", join(projectDir, ".ikigai/constructor"));
  expect(await trustStatus({ home, projectDir })).toMatchObject({
    status: "changed",
    files: [{ path: "constructor", change: "new" }, { path: "tools/a-tool" }],
  });
});

test("ignores a damaged entry", async () => {
  const { home, projectDir } = await world({ "project/.ikigai/tools/a-tool": "a" });
  const { dir } = await trust({ home, projectDir });
  writeFileSync(join(home, "trust.json"), JSON.stringify({ version: 1, projects: { [dir]: { "tools/a-tool": 1 } } }));
  expect((await trustStatus({ home, projectDir })).status).toBe("untrusted");
});

test("does not run a tool if the target of a link beside it has changed since discovery", async () => {
  const { home, projectDir, discover } = await world({
    "project/.ikigai/tools/a-tool": { content: tool(schema("a")), mode: 0o755 },
    "project/lib.sh": "# as it was\n",
  });
  symlinkSync("../lib.sh", join(projectDir, ".ikigai/lib.sh"));
  await trust({ home, projectDir });
  const registry = await discover();
  const options = await circumstances({ cwd: projectDir });
  expect((await callTool(registry, "a", "{}", options)).envelope.tool_success).toBe(true);
  appendFileSync(join(projectDir, "lib.sh"), "# changed\n");
  expect(registryChanged(registry)).toBe(true);
  expect((await callTool(registry, "a", "{}", options)).envelope).toMatchObject({ error_code: "TOOL_UNAVAILABLE" });
});
