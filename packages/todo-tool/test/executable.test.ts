// @module-tag tables
import { chmodSync, copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, describeTool, ownExecutable, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";

const bin = ownExecutable(import.meta.url);

// Without a session: nothing is kept.
describeTool(bin, { test, calls: [{}, { items: [{ text: "a", status: "open" }] }] });

const items = [
  { text: "Read the code", status: "done" },
  { text: "Write the tést", status: "doing" },
  { text: "Run it", status: "open" },
];

const listed = { output: "[x] Read the code\n[>] Write the tést\n[ ] Run it", open: 2, done: 1 };

/** A session: calls the tool with its directory. */
async function session() {
  const dir = join(await tempDir(), "s.state");
  const todo = async (args: object, env: Record<string, string> = {}) =>
    (await call(bin, args, { env: { IKIGAI_STATE_DIR: dir, ...env } })).result;
  return { dir, todo, path: join(dir, "todo.json") };
}

test("writes the whole list, and reads it without items", async () => {
  const { todo, path, dir } = await session();
  expect(await todo({})).toEqual({ output: "", open: 0, done: 0 });
  expect(await todo({ items })).toEqual(listed);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ items });
  expect([statSync(path).mode & 0o777, readdirSync(dir)]).toEqual([0o600, ["todo.json"]]);
  expect(await todo({})).toEqual(listed);
  expect(await todo({ items: [] })).toEqual({ output: "", open: 0, done: 0 });
  expect(await todo({})).toEqual({ output: "", open: 0, done: 0 });
});

test("understands the words of other agents", async () => {
  const { todo } = await session();
  const statuses = ["completed", "in_progress", "pending"];
  const todos = items.map(({ text }, index) => ({ content: text, status: statuses[index], activeForm: "Doing it" }));
  expect(await todo({ todos })).toEqual(listed);
  expect(await todo({})).toEqual(listed);
});

test("says that this host keeps nothing", async () => {
  const { result } = await call(bin, { items });
  expect(result).toMatchObject({ error_code: "NO_STATE", hint: expect.any(String) });
});

test.each([
  ["an empty task", [{ text: " ", status: "open" }], "Task 1 is empty"],
  ["a task of two lines", [{ text: "a\nb", status: "open" }], "Task 1 has more than one line"],
  ["a task of 501 characters", [{ text: "a".repeat(501), status: "open" }], "At most 500 are allowed"],
])("refuses %s, and keeps the old list", async (_what, wrong, error) => {
  const { todo } = await session();
  await todo({ items });
  expect(await todo({ items: wrong })).toMatchObject({
    error_code: "INVALID_ARG",
    error: expect.stringContaining(error),
  });
  expect(await todo({})).toEqual(listed);
});

test("refuses 51 tasks, and keeps the old list", async () => {
  const { todo, dir } = await session();
  await todo({ items });
  const many = Array.from({ length: 51 }, () => ({ text: "a", status: "open" }));
  expect(await call(bin, { items: many }, { env: { IKIGAI_STATE_DIR: dir } })).toMatchObject({
    exitCode: 0,
    result: { error_code: "INVALID_PARAMS" },
  });
  expect(await todo({})).toEqual(listed);
});

test("takes 50 tasks of 500 characters", async () => {
  const { todo } = await session();
  const most = Array.from({ length: 50 }, () => ({ text: "a".repeat(500), status: "done" }));
  expect(await todo({ items: most })).toMatchObject({ open: 0, done: 50 });
});

test.each(["", "{", "[]", '{"items":[{"text":1,"status":"open"}]}', '{"items":[{"text":"a","status":"later"}]}'])(
  "does not take the damaged list %j for an empty one, and replaces it",
  async (text) => {
    const { todo, path } = await session();
    await todo({ items });
    writeFileSync(path, text);
    expect(await todo({})).toMatchObject({ error_code: "READ_FAILED", hint: expect.stringContaining("whole list") });
    expect(await todo({ items })).toEqual(listed);
    expect(await todo({})).toEqual(listed);
  },
);

test.skipIf(process.getuid?.() === 0)("says why the list cannot be saved", async () => {
  const { todo, dir } = await session();
  await todo({ items });
  chmodSync(dir, 0o500);
  expect(await todo({ items: [] })).toMatchObject({ error_code: "WRITE_FAILED" });
  chmodSync(dir, 0o700);
  expect(await todo({})).toEqual(listed);
});

test("concurrent calls leave one whole list", async () => {
  const { todo, path, dir } = await session();
  await todo({ items });
  const lists = Array.from({ length: 8 }, (_, n) => [{ text: `only ${n} ${"x".repeat(400)}`, status: "open" }]);
  await Promise.all(lists.map((list) => todo({ items: list })));
  expect(lists).toContainEqual(JSON.parse(readFileSync(path, "utf8")).items);
  expect(readdirSync(dir)).toEqual(["todo.json"]);
});

test("answers the same if it was started ahead of the call", async () => {
  const { todo } = await session();
  expect(await todo({ items }, { IKIGAI_PRESTART: "1" })).toEqual(listed);
});

test.each(["module", "commonjs"])("works when copied below a package.json of type %s", async (type) => {
  const dir = await tempDir({ "package.json": JSON.stringify({ type }) });
  copyFileSync(bin, `${dir}/todo-tool`);
  expect((await call(`${dir}/todo-tool`, {})).result).toMatchObject({ error_code: "NO_STATE" });
});
