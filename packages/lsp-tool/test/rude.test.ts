// @module-tag sampled
// A server that hangs, dies, prints without end, or answers in the wrong order or late; and commands instead of servers.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lspService } from "./lsp-service.ts";

const server = join(import.meta.dirname, "word-server.mjs");

/** A project whose .txt files have a server with these manners. */
const words = (manner: string, settings: object = {}) =>
  lspService(
    { "a.txt": "good\nBAD one\n", "b.txt": "good\n" },
    { servers: { txt: [process.execPath, server, manner] }, ...settings },
  );

test("only what is new is reported: errors, or warnings after them", async () => {
  await using lsp = await words("polite");
  expect(await lsp.editAndWait("a.txt", "ODD\nBAD two\ngood\nBAD one\n")).toMatchObject({
    new: [{ path: "a.txt", line: 2, severity: "error", message: "wrong: BAD two", source: "words", code: "1" }],
    fixed: 0,
  });
  await using all = await words("polite", { show: "all" });
  const { new: both } = await all.editAndWait("a.txt", "ODD\nBAD two\ngood\nBAD one\n");
  expect(both.map(({ severity, line }) => [severity, line])).toEqual([
    ["error", 2],
    ["warning", 1],
  ]);
});

test("ten new problems are named, and the rest is counted", async () => {
  await using lsp = await words("polite");
  const lines = Array.from({ length: 12 }, (_, index) => `BAD ${index}`).join("\n");
  const { new: added, more, fixed } = await lsp.editAndWait("a.txt", lines);
  expect([added.length, more, fixed]).toEqual([10, 2, 1]);
});

test("a command that breaks a file that was read is reported, too", async () => {
  await using lsp = await words("polite");
  await lsp.editAndWait("b.txt", "fine\n");
  writeFileSync(join(lsp.project, "b.txt"), "BAD now\n");
  expect(await lsp.changed()).toMatchObject({ new: [{ path: "b.txt", line: 1 }], fixed: 0 });
  expect(await lsp.changed()).toMatchObject({ new: [], fixed: 0 });
});

test.each(["unversioned", "disorderly"])("a server that is %s is understood", async (manner) => {
  await using lsp = await words(manner);
  const { new: added } = await lsp.editAndWait("a.txt", "good\nBAD one\nBAD two\n");
  expect(added.map(({ message }) => message)).toEqual(["wrong: BAD two"]);
  expect(await lsp.editAndWait("a.txt", "good\n")).toMatchObject({ new: [], fixed: 2 });
  expect(await lsp.call({ action: "definition", path: "a.txt", symbol: "good" })).toMatchObject({ count: 1 });
});

test("a server that is late delays an edit by at most 1.5 seconds, and what it says comes later", async () => {
  await using lsp = await words("late");
  await lsp.read("a.txt");
  const first = await lsp.edit("a.txt", "good\nBAD one\nBAD two\n");
  expect(first).toMatchObject({ new: [], fixed: 0, pending: true });
  expect(first.tookMs).toBeLessThan(1_900);
  await expect
    .poll(async () => (await lsp.changed()).new.map(({ line }) => line), { timeout: 10_000, interval: 300 })
    .toEqual([3]);
});

test("a server that hangs delays edits only", async () => {
  await using lsp = await words("hangs");
  const { tookMs, ...report } = await lsp.edit("a.txt", "BAD two\n");
  expect(report).toEqual({ new: [], fixed: 0, pending: true });
  expect(tookMs).toBeLessThan(1_900);
});

test.each(["DIE", "FLOOD"])(
  "a server that ends because of %s is started again, three times",
  async (word) => {
    await using lsp = await words("polite");
    await lsp.editAndWait("a.txt", "good\n");
    expect(await lsp.editAndWait("a.txt", `${word}\n`)).toMatchObject({ new: [] });
    // It has died, and another one looks at the next edit.
    expect(await lsp.editAndWait("b.txt", "BAD two\n")).toMatchObject({ new: [{ path: "b.txt", line: 1 }] });
    for (const path of ["c.txt", "d.txt", "e.txt"]) await lsp.editAndWait(path, `${word}\n`);
    const { tookMs, ...report } = await lsp.edit("b.txt", "BAD three\n");
    expect(report).toEqual({ new: [], fixed: 0 });
    expect(await lsp.call({ action: "definition", path: "b.txt", line: 1 })).toMatchObject({ error_code: "NO_SERVER" });
  },
  30_000,
);

test("a command checks where there is no server", async () => {
  const check = { txt: "grep -n BAD *.txt /dev/null | sed 's/:BAD/: error: BAD/'; exit 1" };
  await using lsp = await lspService({ "a.txt": "good\nBAD one\n", "b.txt": "BAD b\n" }, { check });
  await lsp.read("a.txt");
  expect(await lsp.editAndWait("a.txt", "BAD two\nBAD one\n")).toMatchObject({
    new: [{ path: "a.txt", line: 1, severity: "error", message: "BAD two" }],
    fixed: 0,
  });
  expect(await lsp.editAndWait("a.txt", "BAD two\n")).toMatchObject({ new: [], fixed: 1 });
});

test.each([
  ["a.ts(3,5): error TS2322: No.", { path: "a.ts", message: "No.", code: "TS2322" }],
  ["a.ts:3:5 - error TS2322: No.", { path: "a.ts", message: "No.", code: "TS2322" }],
  ["a.py:3:5: F401 unused", { path: "a.py", message: "unused", code: "F401" }],
  ["a.py:3: error: No  [return-value]", { path: "a.py", message: "No  [return-value]" }],
  ["./a.go:3:5: undefined: x", { path: "a.go", message: "undefined: x" }],
  ["error[E0308]: mismatched\n --> src/a.rs:3:5", { path: "src/a.rs", message: "mismatched", code: "E0308" }],
])("reads what a command prints: %j", async (line, problem) => {
  await using lsp = await lspService({ "a.txt": "", said: "" }, { check: { txt: "cat said" } });
  await lsp.editAndWait("a.txt", "x\n");
  writeFileSync(join(lsp.project, "said"), `${line}\n1 problem\n`);
  expect((await lsp.editAndWait("a.txt", "y\n")).new).toEqual([{ line: 3, severity: "error", ...problem }]);
});
