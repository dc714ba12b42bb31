// @module-tag sampled
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type QueryEvent, type QueryOptions, query } from "@ikigai/agent";
import { tempDir } from "@ikigai/testing";
import { beforeEach, expect, test, vi } from "vitest";
import { bin, ikigai } from "./ikigai.ts";
import { scriptedServer } from "./mcp/mcp-home.ts";
import { type Step, startModel } from "./model-server.ts";

const model = "openai-compatible/m";
const schema = { type: "object", required: ["n"], properties: { n: { type: "number" } } };

beforeEach(async () => {
  vi.stubEnv("HOME", await tempDir());
  vi.stubEnv("IKIGAI_HOME", undefined);
  vi.stubEnv("IKIGAI_LIBEXEC", fileURLToPath(new URL("../libexec/ikigai", import.meta.url)));
});

async function asked(steps: readonly Step[], options: Partial<QueryOptions> = {}) {
  const { env } = await startModel(steps);
  vi.stubEnv("OPENAI_COMPATIBLE_BASE_URL", env.OPENAI_COMPATIBLE_BASE_URL);
  const events: QueryEvent[] = [];
  for await (const event of query({ prompt: "go", model, cwd: await tempDir(), ...options })) events.push(event);
  return events;
}

/** Without what differs between two runs: IDs of the session and its calls, durations, and how a rule is given. */
function comparable(events: readonly unknown[]): unknown {
  const text = JSON.stringify(events)
    .replace(/"duration_ms":\d+/g, '"duration_ms":0')
    .replace(/To allow it: [^.]*?(?="[,}])/g, "");
  const ids = [...new Set(text.match(/\d{8}-\d{6}-[0-9a-f]{8}|call_\d_\w+/g))];
  return JSON.parse(ids.reduce((all, id, index) => all.replaceAll(id, `ID ${index}`), text));
}

/** The events with those of calls at the same time in the order of the calls: they start and end in any order. */
function inOrder<Event extends { readonly type: string; readonly id?: string }>(events: readonly Event[]): Event[] {
  const calls = events.flatMap(({ type, id = "" }) => (type === "tool_call" ? [id] : []));
  let group = 0;
  const placed = events.map((event) => {
    const isRunning = event.type === "tool_start" || event.type === "tool_result";
    if (!isRunning) group += 1;
    return { event, group, place: isRunning ? calls.indexOf(event.id ?? "") : -1 };
  });
  return placed.sort((a, b) => a.group - b.group || a.place - b.place).map(({ event }) => event);
}

test("yields exactly the lines of stream-json", async () => {
  const calls = [
    { name: "bash", arguments: { command: "printf 'a\\nb'" } },
    { name: "glob", arguments: '{\n  "pattern": "*"\n}' },
    { name: "bash", arguments: "not JSON" },
    { name: "bash", arguments: { command: "rm -r x" } },
  ];
  const steps = [{ text: "I look.", calls }, { text: "Three." }, { text: '{"n": 3}' }];
  const cwd = await tempDir({ "s.json": JSON.stringify(schema), "AGENTS.md": "Be brief.\n" });
  const events = await asked(steps, { cwd, allow: ["bash(printf *)"], outputSchema: schema });

  const { env } = await startModel(steps);
  const options = ["--output-format", "stream-json", "--output-schema", "s.json", "--allow", "bash(printf *)"];
  const { stdout } = await ikigai(["-p", "go", "--model", model, ...options], { cwd, env });
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(comparable(inOrder(events))).toEqual(comparable(inOrder(lines)));
  const keys = (event: object) => Object.keys(event);
  expect(inOrder(events).map(keys)).toEqual(inOrder(lines).map(keys));
  expect(events[0]).toMatchObject({ type: "session", cwd, instructions: [join(cwd, "AGENTS.md")] });
  expect(events.at(-1)).toMatchObject({ type: "result", reason: "done", structured: { n: 3 }, turns: 3 });
});

test("uses the tools of MCP servers that the user has added", async () => {
  const { HOME = "" } = process.env;
  await ikigai(["mcp", "add", "test", "--yes", "--", process.execPath, scriptedServer, "{}"], { env: { HOME } });
  const call = { name: "mcp__test__echo", arguments: { message: "hello" } };
  const events = await asked([{ calls: [call] }, { text: "Done." }], { allow: ["mcp__test__*"] });
  const result = events.find(({ type }) => type === "tool_result");
  expect(result).toMatchObject({ envelope: { tool_success: true, result: { output: "Echo: hello" } } });
});

test("asks, and continues a session", async () => {
  const call = { calls: [{ name: "bash", arguments: { command: "touch x" } }] };
  const asking: string[] = [];
  const ask = async ({ call: { arguments: args } }: { call: { arguments: string } }) => {
    asking.push(args);
    return { allow: true } as const;
  };
  const [first] = await asked([call], { ask });
  if (first?.type !== "session") throw new Error("no session");
  const again = await asked([{ text: "More." }], { resume: first.session_id });
  expect(asking).toEqual(['{"command":"touch x"}']);
  expect(again[0]).toEqual(first);
});

test("a call that needs a question says how to allow it without ask", async () => {
  const events = await asked([{ calls: [{ name: "bash", arguments: { command: "touch x" } }] }]);
  expect(JSON.stringify(events.at(-1))).toContain('To allow it: \\"bash(touch x)\\" in allow');
});

test("ends as interrupted when the signal is aborted, and when the reader leaves", async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 100);
  const events = await asked([{ text: "x", hangs: true }], { signal: controller.signal });
  expect(events.at(-1)).toMatchObject({ type: "result", reason: "interrupted" });
  const { env } = await startModel([{ text: "x", hangs: true }]);
  vi.stubEnv("OPENAI_COMPATIBLE_BASE_URL", env.OPENAI_COMPATIBLE_BASE_URL);
  let sessionId = "";
  for await (const event of query({ prompt: "go", model, cwd: await tempDir() })) {
    if (event.type === "session") sessionId = event.session_id;
    if (event.type === "text") break;
  }
  const resumed = await asked([{ text: "Free." }], { resume: sessionId });
  expect(resumed.at(-1)).toMatchObject({ reason: "done", result: "Free." });
});

test("finds the tools of the command on the PATH, but not of one in a relative directory", async () => {
  vi.stubEnv("IKIGAI_LIBEXEC", undefined);
  const dir = await tempDir({ ikigai: { link: bin } });
  const call = { calls: [{ name: "glob", arguments: { pattern: "*" } }] };
  vi.stubEnv("PATH", `${dir}:${process.env.PATH}`);
  const events = await asked([call]);
  expect(events.at(-1)).toMatchObject({ tool_calls: [{ envelope: { tool_success: true } }] });
  vi.stubEnv("PATH", ".:/nowhere");
  await expect(asked([call])).rejects.toThrow(
    "Found no tools: the command ikigai is not installed. Install @ikigai/cli, or set toolPath to a directory of tools.",
  );
  const wrapper = await tempDir({ "bin/ikigai": `#!/bin/sh\nexec node ${bin} "$@"\n` });
  vi.stubEnv("PATH", `${wrapper}/bin`);
  await expect(asked([call])).rejects.toThrow(
    `Found no tools: there is an ikigai on the PATH, but no ${wrapper}/libexec/ikigai, where the tools of @ikigai/cli would be. ` +
      "If it is a script that starts another file, set toolPath to a directory of tools.",
  );
});

test.each([
  [{ outputSchema: { type: "text" } }, /^"outputSchema" is not usable\. Expected "schema\.type" to be one of/],
  [{ allow: ["bash("] }, /is not a rule/],
  [{ cwd: "/nowhere/at/all" }, /Expected "cwd" to be a directory/],
])("an invalid option is thrown before the first event: %j", async (options, problem) => {
  await expect(asked([], options)).rejects.toThrow(problem);
});
