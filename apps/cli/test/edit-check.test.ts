// @module-tag sampled
// An edit is answered with what it broke: through the command, with a language server of the user's settings.
import { realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { ikigai } from "./ikigai.ts";
import { type Step, startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

const server = join(import.meta.dirname, "../../../packages/lsp-tool/test/word-server.mjs");

const call = (name: string, args: object, waitMs = 0) => ({ calls: [{ name, arguments: args }], waitMs });
const edit = (old_string: string, new_string: string) =>
  call("file_edit", { file_path: "a.txt", old_string, new_string });

/** The server is started, and has time to do so on a busy machine. */
const warmUp = [call("file_read", { path: "a.txt" }), call("glob", { pattern: "*" }, 4_000)];

const settings = (more: object = {}) => ({ diagnostics: { servers: { txt: [process.execPath, server] }, ...more } });

/** What the model gets of a project's calls, without the tools' own results, and which tools it has. */
async function inPrint(
  steps: readonly Step[],
  config: object,
  mode = "allow",
  PATH = process.env.PATH,
  added?: string,
) {
  const model = await startModel([...steps, { text: "Done." }]);
  const HOME = await tempDir({ ".ikigai/config.json": JSON.stringify(config) });
  const cwd = await tempDir({ "a.txt": "good\nBAD one\n" });
  const args = [
    "-p",
    "go",
    "--model",
    "openai-compatible/m",
    "--permission-mode",
    mode,
    ...(added === undefined ? [] : ["--add-dir", added]),
  ];
  const { exitCode, stderr } = await ikigai(args, { cwd, env: { HOME, PATH, ...model.env } });
  expect([exitCode, stderr]).toEqual([0, ""]);
  const { messages = [], tools = [] } = JSON.parse(JSON.stringify(model.requests.at(-1) ?? {}));
  const answers = messages.filter(({ role }: { role: string }) => role === "tool");
  return {
    reports: answers.map(({ content }: { content: string }) => JSON.parse(content).diagnostics),
    errors: answers.map(({ content }: { content: string }) => JSON.parse(content).result?.error_code),
    tools: tools.map((tool: { function: { name: string } }) => tool.function.name),
  };
}

/** A PATH with Node alone: what else the machine has is not found. */
async function pathWithNode(): Promise<string> {
  const directory = await tempDir();
  symlinkSync(process.execPath, join(directory, "node"));
  return directory;
}

const problem = { path: "a.txt", line: 2, severity: "error", message: "wrong: BAD two", source: "words", code: "1" };

test("the result of an edit has what is new, and of the next one what is fixed", async () => {
  const steps = [
    ...warmUp,
    edit("good", "good\nBAD two"),
    edit("BAD two", "better"),
    edit("better", "best"),
    call("bash", { command: "echo BAD three >> a.txt" }),
    edit("missing", "text"),
  ];
  const { reports, tools } = await inPrint(steps, settings());
  expect(tools).toContain("lsp");
  expect(reports.slice(warmUp.length)).toEqual([
    { new: [problem], fixed: 0 },
    { new: [], fixed: 1 },
    undefined,
    { new: [{ ...problem, line: 4, message: "wrong: BAD three" }], fixed: 0 },
    undefined,
  ]);
});

test("an edit in an added directory is checked, too", async () => {
  const other = await tempDir({ "b.txt": "good\n" });
  const file_path = join(other, "b.txt");
  const steps = [
    call("file_read", { path: file_path }),
    call("glob", { pattern: "*" }, 4_000),
    call("file_edit", { file_path, old_string: "good", new_string: "BAD two" }),
  ];
  const { reports } = await inPrint(steps, settings(), "allow", process.env.PATH, other);
  expect(reports.at(-1)).toMatchObject({ new: [{ path: realpathSync(file_path), message: "wrong: BAD two" }] });
});

test.each([
  ["turned off", settings({ show: "off" })],
  ["without a server", {}],
])("%s, nothing is added", async (_, config) => {
  const { reports } = await inPrint([edit("good", "BAD two")], config);
  expect(reports).toEqual([undefined]);
});

test("without a server the model has no such tool", async () => {
  const { tools } = await inPrint([], {}, "allow", await pathWithNode());
  expect(tools).not.toContain("lsp");
});

test.each([
  ["deny", { action: "definition", path: "a.txt", line: 1 }, undefined],
  ["deny", { action: "rename", path: "a.txt", line: 1, new_name: "b", apply: true }, "denied"],
  ["plan", { action: "rename", path: "a.txt", line: 1, new_name: "b", apply: true }, "denied"],
  ["edits", { action: "rename", path: "a.txt", line: 1, new_name: "b", apply: true }, undefined],
  ["deny", { action: "definition", path: "/etc/hosts", line: 1 }, "denied"],
])("in the mode %s, %j is %s", async (mode, args, refusal) => {
  const model = await startModel([call("lsp", args), { text: "Done." }]);
  const HOME = await tempDir({ ".ikigai/config.json": JSON.stringify(settings()) });
  const cwd = await tempDir({ "a.txt": "good\n" });
  await ikigai(["-p", "go", "--model", "openai-compatible/m", "--permission-mode", mode], {
    cwd,
    env: { HOME, ...model.env },
  });
  const said = JSON.stringify(model.requests.at(-1));
  expect(said.includes("TOOL_DENIED")).toBe(refusal !== undefined);
});

test("the screen shows it in one line", async () => {
  const model = await startModel([...warmUp, edit("good", "good\nBAD two\nBAD three"), { text: "Done." }]);
  const HOME = await tempDir({ ".ikigai/config.json": JSON.stringify(settings()) });
  const cwd = await tempDir({ "a.txt": "good\nBAD one\n" });
  const terminal = await openTerminal(["--model", "openai-compatible/m", "--permission-mode", "edits", "go"], {
    isFull: true,
    cwd,
    env: { HOME, ...model.env },
  });
  expect(await terminal.waitFor("Done.")).toContain("2 new errors: a.txt:2 wrong: BAD two");
});

describe.skipIf(!hasBubblewrap)("in the sandbox (needs bwrap)", () => {
  test("a server can change nothing in the project", async () => {
    const config = settings({
      check: {},
      servers: { txt: ["/bin/sh", "-c", `touch owned; exec ${process.execPath} ${server}`] },
    });
    const steps = [...warmUp, edit("good", "good\nBAD two"), call("file_read", { path: "owned" })];
    const { reports, errors } = await inPrint(steps, config, "auto");
    expect([reports[2], errors[3]]).toEqual([{ new: [problem], fixed: 0 }, "FILE_NOT_FOUND"]);
  });
});
