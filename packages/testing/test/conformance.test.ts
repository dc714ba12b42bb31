import { expect, test } from "vitest";
import { checkTool, conformance, type TreeEntry, tempDir } from "../src/index.ts";
import { nodeTool, schema, shellTool, withSchema } from "./tool-source.ts";

const good = { "a Node tool": nodeTool(), "a shell tool": withSchema({ annotations: {} }) };

test.each(Object.entries(good))("passes %s in everything", async (_, source) => {
  const dir = await tempDir({ "shout-tool": source });
  const { ok, results } = await checkTool(`${dir}/shout-tool`);
  expect(results.filter(({ status }) => status !== "passed")).toEqual([]);
  expect(results.map(({ id }) => id)).toEqual(conformance.map(({ id }) => id));
  expect(ok).toBe(true);
});

test.each<[id: string, fault: string, tool: TreeEntry, problem: string | RegExp]>([
  ["executable", "a file without the mode", { content: "#!/bin/sh\n", mode: 0o644 }, /chmod \+x shout-tool/],
  ["executable", "a link that leads nowhere", { link: "nowhere" }, "There is no such file."],
  ["executable", "a directory", { link: "/" }, "It is not a regular file."],
  ["starts", "a CRLF file", "#!/bin/sh\r\nexit 0\r\n", /CRLF/],
  ["starts", "a missing interpreter", "#!/no/such/sh -e\n", "There is no interpreter /no/such/sh."],
  ["shebang", "a script without one", "exit 0\n", /no #! line/],
  ["schema", "a hang", shellTool("exec sleep 9"), /did not end within 1000 ms/],
  ["schema", "a crash", shellTool("echo; echo no luck >&2; exit 3"), "It exited with 3 (stderr: no luck)."],
  ["schema", "silence", shellTool(":"), /got nothing/],
  ["schema", "two objects", shellTool("echo '{} {}'"), /got \{\} \{\}/],
  ["schema", "a list", shellTool("echo '[]'"), /got \[\]/],
  ["schema", "other text before it", shellTool("echo Loading; echo '{}'"), /got Loading/],
  [
    "schema",
    "an unknown command",
    "#!/usr/bin/env no-such-interpreter\n",
    /exited with 127 \(stderr: .*no-such-interp/,
  ],
  ["schema", "a flood", shellTool("exec yes"), /did not (end|cease)/],
  ["schema-environment", "a needed home", shellTool('[ -n "$HOME" ] || exit 1; echo "{}"'), /PATH: It exited with 1/],
  ["schema-stable", "the time in it", shellTool('echo "{\\"description\\": \\"$$\\"}"'), /different schemas/],
  [
    "schema-size",
    "too long a description",
    withSchema({ description: "x".repeat(8_192) }),
    /^The schema has 8\d{3} bytes/,
  ],
  ["description", "none", withSchema({ description: undefined }), /got nothing/],
  ["name", "another name", withSchema({ name: "bash" }), /to be "shout", got "bash"/],
  ["parameters", "none", withSchema({ parameters: undefined }), /got nothing/],
  ["parameters", "another type", withSchema({ parameters: { type: "array" } }), /to be "object"/],
  [
    "parameters-form",
    "the older form",
    withSchema({ parameters: { text: { type: "string", required: true } } }),
    /required/,
  ],
  ["schema-keys", "a misspelt key", withSchema({ ikigai: { timeoutMS: 1 } }), /perhaps "timeoutMs" is meant/],
  ["refuses-empty-input", "an answer", nodeTool({ refuse: "console.log('{}');" }), /nothing it exited with 0/],
  ["refuses-empty-input", "a hang", "#!/bin/sh\nexec sleep 60\n", /did not end/],
  [
    "refuses-broken-json",
    "words on stdout",
    nodeTool({ refuse: "console.log('no'); process.exit(1);" }),
    /on stdout: no/,
  ],
  ["refuses-other-json", "tolerance", "#!/bin/sh\nexit 0\n", /Given \[1\] it exited with 0/],
  ["refuses-missing-parameter", "tolerance", nodeTool({ check: "", answer: "console.log('{}');" }), /Given \{\} it/],
  [
    "refuses-wrong-type",
    "tolerance",
    nodeTool({ check: "", answer: "console.log('{}');" }),
    /Given \{"text":\{\}\} it/,
  ],
  ["explains-refusal", "a stack trace", nodeTool({ refuse: "throw error;" }), /got \d+\.$/],
  ["explains-refusal", "silence", nodeTool({ refuse: "process.exit(1);" }), /got 0\./],
  [
    "answers",
    "a bug",
    nodeTool({ answer: "throw new Error('a bug');" }),
    /"sample"\} it exited with 1 \(stderr: a bug\)/,
  ],
  ["answers", "no JSON", nodeTool({ answer: "console.log('louder');" }), /no JSON object: louder/],
  [
    "ignores-unknown-fields",
    "strictness",
    nodeTool({ answer: "if (rest.unknown_field) throw new Error('?');" }),
    /it exited/,
  ],
  ["waits-for-input", "words ahead", nodeTool({ start: "console.log('ready');" }), /printed before.*: ready/],
  ["waits-for-input", "an end", nodeTool({ start: "process.exit(4);" }), /it exited with 4/],
  ["ends-on-sigterm", "deafness", "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.1; done\n", /had to be killed/],
  ["leaves-nothing-running", "a daemon", shellTool("sleep 60 > /dev/null 2>&1 &\necho '{}'"), /still there/],
])("%s finds %s", async (id, _, tool, problem) => {
  const dir = await tempDir({ "shout-tool": tool });
  expect(await conformance.find((check) => check.id === id)?.run(`${dir}/shout-tool`)).toMatch(problem);
});

test.each([
  ["shout", /ends in "-tool", got "shout"/],
  ["1-tool", /got "1"/],
  ["a b-tool", /got "a b"/],
  ["bаsh-tool", /got "bаsh"/],
  [`${"x".repeat(65)}-tool`, /got "x+"/],
])("file-name finds %j", async (name, problem) => {
  const dir = await tempDir({ [name]: "" });
  expect(await conformance.find(({ id }) => id === "file-name")?.run(`${dir}/${name}`)).toMatch(problem);
});

test("does not call a tool that is not harmless with arguments that it could act on", async () => {
  const dir = await tempDir({
    "shout-tool": nodeTool({
      schemaText: JSON.stringify({ ...schema, annotations: { readOnlyHint: true } }),
      answer: "throw new Error('called');",
    }),
  });
  expect(await checkTool(`${dir}/shout-tool`)).toMatchObject({ ok: true });
});

test("skips what says nothing once something else has failed", async () => {
  const dir = await tempDir({ "shout-tool": { content: "", mode: 0o644 } });
  const { path, ok, results } = await checkTool(`${dir}/shout-tool`);
  expect(path).toBe(`${dir}/shout-tool`);
  expect(ok).toBe(false);
  expect(results.filter(({ status }) => status !== "skipped").map(({ id, status }) => [id, status])).toEqual([
    ["executable", "failed"],
    ["file-name", "passed"],
  ]);
});

test("counts a tool as good that only fails what it should do", async () => {
  const dir = await tempDir({ "shout-tool": withSchema({ name: "whisper", annotations: {} }) });
  const { ok, results } = await checkTool(`${dir}/shout-tool`);
  expect(ok).toBe(true);
  expect(results.filter(({ status }) => status === "failed")).toEqual([
    {
      id: "name",
      level: "should",
      title: "has a schema that names it as its file does",
      status: "failed",
      problem: 'Expected "name" to be "shout", got "whisper"; the file\'s name counts.',
    },
  ]);
});
