// @module-tag sampled
import { type Message, ModelError, type ModelEvent, type ModelTool, resolveModel } from "@ikigai/models";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ownModels } from "../src/host/model/choose-model.ts";
import { ikigai } from "./ikigai.ts";

const cwd = await tempDir({ "src/a.ts": "", "notes.txt": "" });
const model = await resolveModel({ config: {}, env: {}, wanted: "offline", ownModels: ownModels(cwd) });

const text = { type: "string" } as const;
const tools: ModelTool[] = [
  {
    name: "weather",
    description: "",
    parameters: { type: "object", required: ["city"], properties: { city: text, days: { type: "integer" } } },
  },
  {
    name: "db_query",
    description: "",
    parameters: { type: "object", required: ["query", "limit"], properties: { query: text } },
  },
];

/** The interpreter's events, and how it ended. */
async function hear(messages: readonly Message[]): Promise<{ events: ModelEvent[]; text: string; error?: ModelError }> {
  const events: ModelEvent[] = [];
  const request = { system: "You help.", messages, tools, sessionId: "s1", signal: new AbortController().signal };
  const text = () => events.map((event) => (event.type === "text" ? event.text : "")).join("");
  try {
    for await (const event of model.stream(request)) events.push(event);
    return { events, text: text() };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { events, text: text(), error };
  }
}

function callIn(events: ModelEvent[]): unknown {
  const call = events.find((event) => event.type === "tool_call");
  return call && [call.name, JSON.parse(call.arguments)];
}

async function callFor(request: string): Promise<unknown> {
  return callIn((await hear([{ role: "user", text: request }])).events);
}

test.each([
  ["run npm test", "bash", { command: "npm test" }],
  ["Please run the command `ls -la | wc -l`", "bash", { command: "ls -la | wc -l" }],
  ["$ git status", "bash", { command: "git status" }],
  ["execute sleep 100 in the background", "bash", { command: "sleep 100", background: true }],
  ["read README.md", "file_read", { file_path: "README.md" }],
  ["read README.md lines 1-20", "file_read", { file_path: "README.md", offset: 1, limit: 20 }],
  ["show me lines 5 to 7 of src/a.ts", "file_read", { file_path: "src/a.ts", offset: 5, limit: 3 }],
  ["read src/a.ts:3-4", "file_read", { file_path: "src/a.ts", offset: 3, limit: 2 }],
  ["show line 4 of a.ts", "file_read", { file_path: "a.ts", offset: 4, limit: 1 }],
  ["read the first 5 lines of a.ts", "file_read", { file_path: "a.ts", limit: 5 }],
  ["cat 'my file.txt'", "file_read", { file_path: "my file.txt" }],
  ["can you read package.json?", "file_read", { file_path: "package.json" }],
  ["find **/*.ts", "glob", { pattern: "**/*.ts" }],
  ["find all *.ts files in src", "glob", { pattern: "**/*.ts", path: "src" }],
  ["find package.json", "glob", { pattern: "**/package.json" }],
  ["list files in src", "glob", { pattern: "*", path: "src" }],
  ["list files", "glob", { pattern: "*" }],
  ["ls src", "glob", { pattern: "*", path: "src" }],
  ["search TODO in src", "grep", { pattern: "TODO", path: "src", glob: "**/*" }],
  ["search discover in packages/**/*.ts", "grep", { pattern: "discover", glob: "packages/**/*.ts" }],
  ["search for TODO in notes.txt", "grep", { pattern: "TODO", path: "notes.txt" }],
  ['grep "a(b" in src', "grep", { pattern: "a\\(b", path: "src", glob: "**/*" }],
  ["search for two words", "grep", { pattern: "two words", glob: "**/*" }],
  ["search todo in src ignoring case", "grep", { pattern: "todo", path: "src", glob: "**/*", ignore_case: true }],
  ["replace A with B in FILE", "file_edit", { file_path: "FILE", old_string: "A", new_string: "B" }],
  [
    "replace all old words with 'new ones' in a.txt",
    "file_edit",
    { file_path: "a.txt", old_string: "old words", new_string: "new ones", replace_all: true },
  ],
  [
    'change "x = 1" to "x = 2" in "my file.py"',
    "file_edit",
    { file_path: "my file.py", old_string: "x = 1", new_string: "x = 2" },
  ],
  ["write hello to note.txt", "file_write", { file_path: "note.txt", content: "hello" }],
  ['write "two\\nlines" to the file note.txt', "file_write", { file_path: "note.txt", content: "two\nlines" }],
  ["create note.txt with hello world", "file_write", { file_path: "note.txt", content: "hello world" }],
  ["write to note.txt: hello", "file_write", { file_path: "note.txt", content: "hello" }],
  ['use weather with {"city":"Paris"}', "weather", { city: "Paris" }],
  ["weather city=Paris days=3", "weather", { city: "Paris", days: 3 }],
  ['weather-tool city="New York"', "weather", { city: "New York" }],
  ["weather in Paris", "weather", { city: "Paris" }],
  ["use the weather tool with city Paris", "weather", { city: "Paris" }],
  ['call db_query query="select 1" limit=5', "db_query", { query: "select 1", limit: 5 }],
])("%s", async (request, name, args) => {
  expect(await callFor(request)).toEqual([name, args]);
});

test.each([
  "what is the meaning of life?",
  "fix the bug in a.ts",
  "weather",
  "db_query select",
  "run",
  "look at the project",
  "",
])("%j is an error that says how to use a model", async (request) => {
  const { error, events } = await hear([{ role: "user", text: request }]);
  expect(events).toEqual([]);
  expect(error).toMatchObject({ name: "ModelError", code: "not_understood", retryable: false });
  for (const words of ["not a language model", "start ikigai without --model offline"])
    expect(error?.message).toContain(words);
});

test.each([
  ["ikigai setup", "ikigai setup"],
  ["run ikigai setup", "ikigai setup"],
  ["run ikigai login openai", "ikigai login openai"],
  ["ikigai doctor", "ikigai doctor"],
  ["ikigai", "ikigai"],
])("%j is for a shell, and says so first", async (request, command) => {
  const { error, events } = await hear([{ role: "user", text: request }]);
  expect(events).toEqual([]);
  expect(error?.code).toBe("not_understood");
  expect(error?.message).toMatch(`Type this in a shell, not here (ctrl-d leaves a conversation): ${command}\n`);
});

test("other commands of ikigai can be run", async () => {
  const { events } = await hear([{ role: "user", text: "run ikigai doctor" }]);
  expect(callIn(events)).toEqual(["bash", { command: "ikigai doctor" }]);
});

test("help names the tools", async () => {
  const { text: answer } = await hear([{ role: "user", text: "help" }]);
  expect(answer).toContain("weather, db_query");
});

const after = async (name: string, envelope: object): Promise<string> => {
  const messages: Message[] = [
    { role: "user", text: "run x" },
    { role: "assistant", model: model.id, parts: [{ type: "tool_call", id: "c", name, arguments: "{}" }] },
    { role: "tool", id: "c", name, json: JSON.stringify(envelope) },
  ];
  return (await hear(messages)).text;
};

test.each([
  ["bash", { output: "hi", exit_code: 0 }, "hi"],
  ["bash", { output: "no", exit_code: 2 }, "no\nexit code 2"],
  ["bash", { output: "", exit_code: 0 }, "(no output)"],
  ["glob", { output: "a\nb", count: 2 }, "a\nb\n2 files."],
  ["grep", { output: "", count: 0 }, "No match."],
  ["file_read", { output: "text\n" }, "text\n"],
  ["file_read", { error: "File not found: x", error_code: "FILE_NOT_FOUND" }, "File not found: x"],
  ["db", { error: "no", error_code: "X", help: { steps: ["1. Do this"] } }, "no\n1. Do this"],
  ["weather", { temperature: 72 }, '{\n  "temperature": 72\n}'],
])("describes the result of %s %j", async (name, result, expected) => {
  expect(await after(name, { tool_success: true, result })).toBe(expected);
});

test("reports why a tool failed", async () => {
  const failure = { tool_success: false, error: "It broke", error_code: "TOOL_CRASHED", stderr: "oops" };
  expect(await after("bash", failure)).toBe("It broke\noops");
});

test("runs several requests in order", async () => {
  const messages: Message[] = [{ role: "user", text: "read a.txt then run npm test" }];
  const first = await hear(messages);
  expect(callIn(first.events)).toEqual(["file_read", { file_path: "a.txt" }]);
  messages.push(
    { role: "assistant", model: model.id, parts: [{ type: "tool_call", id: "c", name: "file_read", arguments: "{}" }] },
    { role: "tool", id: "c", name: "file_read", json: '{"tool_success":true,"result":{"output":"A"}}' },
  );
  const second = await hear(messages);
  expect([second.text, callIn(second.events)]).toEqual(["A", ["bash", { command: "npm test" }]]);
});

test.each([["text"], ["json"]])(
  "-p reports a denied call on stderr, even if the answer (%s) says it too",
  async (format) => {
    const { exitCode, stdout, stderr } = await ikigai([
      ...["-p", "run touch pwn", "--model", "offline", "--output-format", format],
    ]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(
        /^bash: (?:It ran where nothing can be changed\. )?This call needs permission, .* To allow it: --allow 'bash\(touch pwn\)'$/m,
      ),
    });
    expect(stdout).toMatch(/This call needs permission|Read-only file system/);
  },
);
