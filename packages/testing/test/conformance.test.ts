// @module-tag sampled
import { readFileSync } from "node:fs";
import { expect, inject, test } from "vitest";
import { type CheckOptions, checkTool, conformance, type TreeEntry, tempDir } from "../src/index.ts";
import { nodeTool, schema, shellTool, withSchema } from "./tool-source.ts";

/** Without `/proc`, the process cannot be named. `setsid` has its own command line until it executes `sleep`, and none in between. */
const daemonFound =
  process.platform === "linux"
    ? /^(?:"(?:setsid )?sleep 60" \(process \d+\)|A process of group \d+) was still running after the tool exited\. The host kills .* Stop it/
    : /still running after the tool exited/;

/** A tool that saves a PNG image as a.png and a text as a.txt, and answers with these images. */
function withImages(images: readonly (readonly [path: string, type: string])[], field = "images"): string {
  const named = images.map(([path, mime_type]) => ({ path, mime_type }));
  return nodeTool({
    answer: `require("node:fs").writeFileSync("a.png", Buffer.from("89504e470d0a1a0a", "hex"));
  require("node:fs").writeFileSync("a.txt", "text");
  console.log(JSON.stringify({ ${field}: ${JSON.stringify(named)} }));`,
  });
}

const faults: readonly (readonly [id: string, fault: string, tool: TreeEntry, problem: string | RegExp])[] = [
  [
    "executable",
    "a file without the mode",
    { content: "#!/bin/sh\n", mode: 0o644 },
    /is not executable\. To fix it: chmod \+x \S+\/shout-tool$/,
  ],
  [
    "executable",
    "a link that leads nowhere",
    { link: "nowhere" },
    /shout-tool is a symlink to a file that does not exist\. Build that file/,
  ],
  ["executable", "a directory", { link: "/" }, /shout-tool is a directory\. Pass the path of the executable in it\.$/],
  ["starts", "a CRLF file", "#!/bin/sh\r\nexit 0\r\n", /CRLF.* Save the file with LF line endings\.$/],
  ["starts", "a CRLF file that env starts", "#!/usr/bin/env sh\r\nexit 0\r\n", /CRLF.* with LF line endings\.$/],
  [
    "starts",
    "a missing interpreter",
    "#!/no/such/sh -e\n",
    "Interpreter not found: /no/such/sh. Install it, or correct the #! line.",
  ],
  [
    "starts",
    "an interpreter that is not on the PATH",
    "#!/usr/bin/env -S A=b no-such-interpreter -x\n",
    "Interpreter not found on your PATH: no-such-interpreter. Install it, or correct the #! line.",
  ],
  ["schema", "a command in it that is not found", shellTool("no-such-command"), /exited with code 127/],
  ["shebang", "a script without one", "exit 0\n", /no #! line/],
  ["schema", "a hang", shellTool("exec sleep 9"), /still running after 5000 ms\. It usually begins its work before/],
  ["schema-time", "a pause", shellTool(`sleep 1.1; echo "{}"`), /took [1-4]\d{3} ms in the fastest of \d+ runs/],
  ["schema", "a crash", shellTool("echo; echo no luck >&2; exit 3"), 'It exited with code 3 (stderr: "no luck").'],
  ["schema", "silence", shellTool(":"), /got nothing\. Print one JSON object/],
  ["schema", "two objects", shellTool("echo '{} {}'"), /got "\{\} \{\}"/],
  ["schema", "a list", shellTool("echo '[]'"), /got "\[\]"/],
  ["schema", "other text before it", shellTool("echo Loading; echo '{}'"), /got "Loading"/],
  ["schema", "a flood", shellTool("exec yes"), /still running|printed without end/],
  [
    "schema-environment",
    "a needed home",
    shellTool('[ -n "$HOME" ] || exit 1; echo "{}"'),
    /PATH as the only environment variable: It exited with code 1/,
  ],
  [
    "schema-stable",
    "the time in it",
    shellTool('echo "{\\"description\\": \\"$$\\"}"'),
    /different schemas: ….*: "\d+"\}… and ….*: "\d+"\}…\. Hosts cache/,
  ],
  [
    "schema-size",
    "too long a description",
    withSchema({ description: "x".repeat(8_192) }),
    /^The schema has 8\d{3} bytes/,
  ],
  ["description", "none", withSchema({ description: undefined }), /got nothing/],
  ["name", "none", withSchema({ name: undefined }), /^Hosts reject .*"name" to be a string, got nothing/],
  ["name-matches", "another name", withSchema({ name: "bash" }), /to be "shout", got "bash"/],
  ["parameters", "none", withSchema({ parameters: undefined }), /got nothing/],
  ["parameters", "another type", withSchema({ parameters: { type: "array" } }), /type "object", got "array"/],
  [
    "parameters-form",
    "the older form",
    withSchema({ parameters: { text: { type: "string", required: true } } }),
    /required/,
  ],
  ["schema-keys", "a misspelt key", withSchema({ ikigai: { timeoutMS: 1 } }), /perhaps you mean "timeoutMs"/],
  [
    "refuses-empty-input",
    "an answer",
    nodeTool({ refuse: "console.log('{}');" }),
    /Given empty input, the tool exited with 0\. Expected a nonzero exit code/,
  ],
  ["refuses-empty-input", "a hang", "#!/bin/sh\nexec sleep 60\n", /after 5000 ms\. It usually waits for more input/],
  [
    "refuses-broken-json",
    "words on stdout",
    nodeTool({ refuse: "console.log('no'); process.exit(1);" }),
    /the tool printed "no" on stdout/,
  ],
  [
    "refuses-broken-json",
    "text in braces",
    "#!/bin/sh\ncase $(cat) in '{'*'}') echo '{}' ;; *) exit 1 ;; esac\n",
    /Given the input `\{nope\}`, the tool exited with 0\. .* Parse stdin/,
  ],
  ["refuses-other-json", "tolerance", "#!/bin/sh\nexit 0\n", /Given the input `\[1\]`, the tool exited with 0/],
  [
    "refuses-missing-parameter",
    "tolerance",
    nodeTool({ check: "", answer: "console.log('{}');" }),
    /Given the input `\{\}`, the tool/,
  ],
  [
    "refuses-wrong-type",
    "tolerance",
    nodeTool({ check: "", answer: "console.log('{}');" }),
    /Given the input `\{"text":\{\}\}`, the tool/,
  ],
  [
    "refuses-wrong-type",
    "tolerance of an optional parameter",
    nodeTool({
      schemaText: JSON.stringify({ ...schema, parameters: { ...schema.parameters, required: [] } }),
      check: "",
      answer: "console.log('{}');",
    }),
    /Given the input `\{"text":\{\}\}`, the tool/,
  ],
  [
    "explains-refusal",
    "a stack trace",
    nodeTool({ refuse: "throw new TypeError('no text');" }),
    /printed \d+ lines on stderr, expected one that says why; the most informative one: "TypeError: no text"\. The model uses this line to correct/,
  ],
  [
    "explains-refusal",
    "silence",
    nodeTool({ refuse: "process.exit(1);" }),
    /printed 0 lines on stderr, expected one that says why\. The model uses this line to correct/,
  ],
  [
    "schema",
    "a stack trace of Python",
    "#!/usr/bin/env python3\nimport os\nos.environ['KEY']\n",
    "It exited with code 1 (stderr: \"KeyError: 'KEY'\").",
  ],
  [
    "answers",
    "a bug",
    nodeTool({ answer: "throw new Error('a bug');" }),
    /"sample"\}: it exited with code 1 \(stderr: "a bug"\)/,
  ],
  [
    "answer-object",
    "no JSON",
    nodeTool({ answer: "console.log('louder');" }),
    /it printed "louder" instead of a JSON object \(unexpected l at byte 0\)\. Print one JSON object, such as/,
  ],
  [
    "images",
    "another type",
    withImages([["a.png", "image/gif"]]),
    /image 1 is not .*: "a.png" is image\/png, not image/,
  ],
  [
    "images",
    "a text",
    withImages([
      ["a.png", "image/png"],
      ["a.txt", "image/png"],
    ]),
    /image 2 .* "a.txt" is not a PNG,/,
  ],
  [
    "images",
    "no file",
    withImages([["b.png", "image/png"]]),
    /"b.png" is not a file of at most 5 MiB that can be read/,
  ],
  ["images", "a file elsewhere", withImages([["/etc/passwd", "image/png"]]), /"\/etc\/passwd" is outside the working/],
  [
    "documents",
    "an image",
    withImages([["a.png", "application/pdf"]], "documents"),
    /document 1 is not .*: "a.png" is not a PDF document/,
  ],
  ["images", "too many", withImages(Array(9).fill(["a.png", "image/png"])), /with 9 images, and a model sees 8/],
  [
    "ignores-unknown-fields",
    "strictness",
    nodeTool({ answer: "if (rest.unknown_field) throw new Error('?');" }),
    /it exited/,
  ],
  [
    "ignores-unknown-fields",
    "confusion",
    nodeTool({ answer: "console.log(rest.unknown_field ? '{\"text' : '{}');" }),
    /added, it printed '\{"text' instead of one JSON object/,
  ],
  [
    "waits-for-input",
    "words ahead",
    nodeTool({ start: "console.log('ready');" }),
    /Before it got any input, it printed "ready"/,
  ],
  ["waits-for-input", "an end", nodeTool({ start: "process.exit(4);" }), /it exited with code 4/],
  ["ends-on-sigterm", "deafness", "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.1; done\n", /had to be killed/],
  ["leaves-nothing-running", "a daemon", shellTool("sleep 60 > /dev/null 2>&1 &\necho '{}'"), daemonFound],
  [
    "leaves-nothing-running",
    "a session of its own",
    shellTool("setsid sleep 60 > /dev/null 2>&1 &\necho '{}'"),
    daemonFound,
  ],
];

/** They are waited for, over and over. */
const slowFaults = new Set(["a pause", "deafness"]);
const tried = faults.filter(([, fault]) => inject("isThorough") || !slowFaults.has(fault));

test.concurrent.each(tried)("%s finds %s", async (id, _, tool, problem) => {
  const dir = await tempDir({ "shout-tool": tool });
  expect(await conformance.find((check) => check.id === id)?.run(`${dir}/shout-tool`)).toMatch(problem);
});

test("images accepts images of the named type, and a field of another form", async () => {
  const images = conformance.find(({ id }) => id === "images");
  const dir = await tempDir({
    "shout-tool": withImages([["a.png", "image/png"]]),
    "own/shout-tool": nodeTool({ answer: "console.log(JSON.stringify({ images: ['/etc/passwd'] }));" }),
  });
  expect(await images?.run(`${dir}/shout-tool`)).toBeUndefined();
  expect(await images?.run(`${dir}/own/shout-tool`)).toBeUndefined();
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

test.each([
  ["no name", "shout-tool", { name: undefined }, ["name"]],
  ["a description that is not a string", "shout-tool", { description: 1 }, ["description"]],
  ["a file name that gives no valid name", "bad.name-tool", {}, ["file-name"]],
])("reports %s once", async (_, file, changes, failed) => {
  const dir = await tempDir({ [file]: withSchema(changes) });
  const { results } = await checkTool(`${dir}/${file}`, {
    only: ["file-name", "description", "name", "name-matches", "parameters"],
  });
  expect(results.filter(({ status }) => status === "failed").map(({ id }) => id)).toEqual(failed);
});

test("makes no real calls to a tool that does not declare itself harmless", async () => {
  const dir = await tempDir({
    "shout-tool": nodeTool({
      schemaText: JSON.stringify({ ...schema, annotations: { readOnlyHint: true } }),
      answer: "throw new Error('called');",
    }),
  });
  expect(await checkTool(`${dir}/shout-tool`)).toMatchObject({ ok: true });
});

test("skips checks whose prerequisite failed", async () => {
  const dir = await tempDir({ "shout-tool": { content: "", mode: 0o644 } });
  const { path, ok, results } = await checkTool(`${dir}/shout-tool`);
  expect(path).toBe(`${dir}/shout-tool`);
  expect(ok).toBe(false);
  expect(results.filter(({ status }) => status !== "skipped").map(({ id, status }) => [id, status])).toEqual([
    ["executable", "failed"],
    ["file-name", "passed"],
  ]);
});

test("runs the selected checks and their prerequisites, and reports the selected and the failed ones", async () => {
  const dir = await tempDir({ "shout-tool": nodeTool(), "mute-tool": shellTool("exit 1") });
  const ids = async (file: string, options: CheckOptions) =>
    (await checkTool(`${dir}/${file}`, options)).results.map(({ id, status }) => [id, status]);
  expect(await ids("shout-tool", { only: ["answers", "name"] })).toEqual([
    ["name", "passed"],
    ["answers", "passed"],
  ]);
  expect(await ids("mute-tool", { only: ["answers"] })).toEqual([
    ["schema", "failed"],
    ["answers", "skipped"],
  ]);
  const { ok, results } = await checkTool(`${dir}/shout-tool`, { skip: ["answers"] });
  expect(ok).toBe(true);
  expect(results.find(({ id }) => id === "answers")).toMatchObject({ status: "skipped", reason: "left out" });
  expect(results.find(({ id }) => id === "answer-object")).toMatchObject({ status: "passed" });
});

test.each([
  [{ properties: {} }, "it has no parameters"],
  [{ required: ["text"], properties: { text: {} } }, "the schema allows any type for every parameter"],
  [{ properties: { text: { type: "string" } } }, "a tool that does not check types would run this call"],
])("tries no wrong type where it cannot: %j", async (changes, reason) => {
  const tool = withSchema({ parameters: { type: "object", ...changes }, annotations: {} });
  const dir = await tempDir({ "shout-tool": tool });
  const { results } = await checkTool(`${dir}/shout-tool`, { only: ["refuses-wrong-type"] });
  expect(results).toMatchObject([{ status: "skipped", reason }]);
});

test("calls any tool with the given arguments in the given directory", async () => {
  const source = nodeTool({
    schemaText: JSON.stringify({ ...schema, annotations: {} }),
    answer: "require('node:fs').appendFileSync('calls', text); console.log('{}');",
  });
  const dir = await tempDir({ "shout-tool": source, "work/calls": "" });
  const { ok } = await checkTool(`${dir}/shout-tool`, { calls: [{ text: "x" }], cwd: `${dir}/work` });
  expect(ok).toBe(true);
  expect(readFileSync(`${dir}/work/calls`, "utf8")).toMatch(/^x+$/);
});

test.each([
  [{}, false, []],
  [{}, true, ["Grace"]],
  [{ readOnlyHint: true, openWorldHint: false }, false, ["Grace"]],
])(
  "calls a tool that says %j with the examples of its schema, if they are vouched for: %j",
  async (annotations, callExamples, called) => {
    const parameters = { ...schema.parameters, examples: [{ text: "Grace" }] };
    const source = nodeTool({
      schemaText: JSON.stringify({ ...schema, annotations, parameters }),
      answer: "require('node:fs').appendFileSync('calls', text + ' '); console.log('{}');",
    });
    const dir = await tempDir({ "shout-tool": source, "work/calls": "" });
    await checkTool(`${dir}/shout-tool`, { callExamples, cwd: `${dir}/work`, only: ["answers"] });
    expect(readFileSync(`${dir}/work/calls`, "utf8").split(" ").filter(Boolean)).toEqual(called);
  },
);

test("counts a tool as good that fails only SHOULD checks", async () => {
  const dir = await tempDir({ "shout-tool": withSchema({ name: "whisper", annotations: {} }) });
  const { ok, results } = await checkTool(`${dir}/shout-tool`);
  expect(ok).toBe(true);
  expect(results.filter(({ status }) => status === "failed")).toEqual([
    {
      id: "name-matches",
      level: "should",
      title: "has the same name in its schema as in its file name",
      status: "failed",
      problem: 'Expected "name" to be "shout", got "whisper".',
      advice: "The file name wins, so the other name is never used. Rename the file, or correct the schema.",
    },
  ]);
});
