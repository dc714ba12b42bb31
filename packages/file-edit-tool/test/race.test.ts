// Promise 4 of SECURITY.md.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { call, tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { answer, bin, edit, failure } from "./run.ts";

const canTrace = spawnSync("strace", ["-V"]).status === 0;

test("loses no concurrent edit", async () => {
  const count = 10;
  const cwd = await tempDir({ a: Array.from({ length: count }, (_, index) => `<${index}>\n`).join("") });
  const edits = Array.from({ length: count }, (_, index) =>
    edit(cwd, { old_string: `<${index}>`, new_string: `[${index}]` }, { timeoutMs: 60_000 }),
  );
  for (const end of await Promise.all(edits)) expect(end).toEqual(answer("Replaced 1 occurrence in a", 1));
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe(Array.from({ length: count }, (_, index) => `[${index}]\n`).join(""));
  expect(readdirSync(cwd)).toEqual(["a"]);
});

test("uses one lock, whichever link leads to the file", async () => {
  const cwd = await tempDir({ "real/a": "<0><1><2><3>", a: { link: "real/a" }, "sub/b": { link: "../a" } });
  const ends = await Promise.all(
    ["a", "real/a", "sub/b", `${cwd}/a`].map((file_path, index) =>
      call(bin, { file_path, old_string: `<${index}>`, new_string: `[${index}]` }, { cwd }),
    ),
  );
  for (const { result } of ends) expect(result).toMatchObject({ replacements: 1 });
  expect(readFileSync(`${cwd}/real/a`, "utf8")).toBe("[0][1][2][3]");
  expect(readdirSync(`${cwd}/real`)).toEqual(["a"]);
});

test.runIf(canTrace).each([
  ["appended to", (file: string) => appendFileSync(file, "more")],
  ["touched", (file: string) => utimesSync(file, new Date(), new Date())],
  [
    "replaced",
    (file: string) => {
      writeFileSync(`${file}2`, "<0>");
      renameSync(`${file}2`, file);
    },
  ],
])("does not touch a file that was %s while it was edited", async (_, change) => {
  const cwd = await tempDir({ a: "<0>" });
  const slow = await tempDir({
    "slow-tool": `#!/bin/sh\nexec strace -f -o /dev/null -e inject=fsync:signal=STOP ${bin}\n`,
  });
  const editing = call(`${slow}/slow-tool`, { file_path: "a", old_string: "<0>", new_string: "[0]" }, { cwd });
  // The new content is being written, so the old one has been read: the tool is stopped here.
  const writing = () => readdirSync(cwd).flatMap((name) => /^\.a\.ikigai-tmp\.(\d+)\./.exec(name)?.[1] ?? []);
  await expect.poll(writing).not.toEqual([]);
  const [pid] = writing();
  change(`${cwd}/a`);
  const changed = readFileSync(`${cwd}/a`, "utf8");
  // It may not have stopped yet.
  const waking = setInterval(() => spawnSync("kill", ["-CONT", String(pid)]), 20);
  onTestFinished(() => clearInterval(waking));
  const hint = "Another program changed it at the same time. Read it again.";
  expect(await editing).toEqual(failure("Failed to write file: a", "WRITE_FAILED", { hint }));
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe(changed);
  expect(readdirSync(cwd)).toEqual(["a"]);
  expect(existsSync(`${cwd}/a2`)).toBe(false);
});

test("edits a file that takes much memory", async () => {
  const cwd = await tempDir();
  const block = Buffer.alloc(100 * 1_048_576, "0123456789abcde\n");
  writeFileSync(`${cwd}/a`, block);
  appendFileSync(`${cwd}/a`, "the end\n");
  const end = await edit(cwd, { old_string: "the end", new_string: "THE END" }, { timeoutMs: 25_000 });
  expect(end).toEqual(answer("Replaced 1 occurrence in a", 1));
  const after = readFileSync(`${cwd}/a`);
  expect(after.subarray(0, block.length).equals(block)).toBe(true);
  expect(after.subarray(block.length).toString()).toBe("THE END\n");
});
