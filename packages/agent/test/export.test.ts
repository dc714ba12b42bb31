// Promise 8 of SECURITY.md.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { showInvisible } from "@ikigai/system";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { exportHtml, exportMarkdown, type PastCall } from "../src/export.ts";
import { agent } from "./agent-setup.ts";
import { modelServer } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const [anthropic] = providers;

/** One pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const evil =
  "See **this** <script>alert(1)</script> [x](javascript:alert(1)) ![t](https://evil.test/pixel.png) `</pre>`";

async function said() {
  const one = await agent({ look: `printf '{"output": "%s"}' '\`\`\`\\n<b>bold</b> & more'` });
  const call = { text: "I look.", calls: [{ id: "c1", name: "look", arguments: '{"what":"<all>"}' }] };
  const server = await modelServer(call, { text: evil });
  await one.say(await modelOf(anthropic, server.url), "go\n# no heading <i>");
  return one;
}

test("exports everything as Markdown, and nothing ends its blocks early", async () => {
  const { conversation } = await said();
  expect(exportMarkdown(conversation).replace(/Started .*/, "Started …")).toBe(`# Session ${conversation.id}

Started …

## You

> go
> # no heading <i>

## anthropic/m

I look.

### look

\`\`\`json
{"what":"<all>"}
\`\`\`

\`\`\`\`text
\`\`\`
<b>bold</b> & more
\`\`\`\`

## anthropic/m

${evil}
`);
});

test("exports HTML that runs and loads nothing", async () => {
  const { conversation } = await said();
  const html = await exportHtml(conversation);
  expect(html).toContain("<strong>this</strong>");
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(html).toContain("&lt;b&gt;bold&lt;/b&gt; &amp; more");
  expect(html).toContain("# no heading &lt;i&gt;");
  // The page's own search.
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html.replace(/<script>[\s\S]*/, "")).not.toMatch(/<img|href="javascript|src=/);
});

test("exports no file of others that a log names, and damaged lines without failing", async () => {
  const { conversation } = await said();
  const { log } = conversation;
  const files = String(log.path).replace(/\.jsonl$/, ".files");
  const secret = join(await tempDir({ "secret.txt": "the secret", "shot.png": png }), "secret.txt");
  const call = {
    type: "tool_call",
    id: "c2",
    name: "file_write",
    arguments: '{"file_path":"x","content":"y"}',
  } as const;
  const result = {
    type: "tool_result",
    id: "c2",
    name: "file_write",
    json: '{"tool_success":true,"result":{}}',
  } as const;
  const shot = { mediaType: "image/png", path: secret.replace("secret.txt", "shot.png") };
  log.append(call);
  log.append({ type: "checkpoint", id: "c2", path: "/x", kept: secret });
  log.append({ ...result, durationMs: 1, images: [shot, {} as never, { mediaType: "image/png" } as never] });
  const seen: unknown[] = [];
  const describe = (past: PastCall) => {
    seen.push(past.before);
    return { title: "t", details: "d" };
  };
  const html = await exportHtml(conversation, { describe });
  expect(seen).toEqual([undefined, undefined]);
  expect(html).not.toContain("data:image");
  expect(html.match(/Image \d is missing: its file cannot be read\./g)).toHaveLength(3);
  // The session's own files are in it.
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, "a.png"), png);
  writeFileSync(join(files, "b.png"), "no image");
  log.append({ ...call, id: "c3" });
  log.append({ type: "checkpoint", id: "c3", path: "/x", kept: join(files, "a.png") });
  const images = ["a.png", "b.png"].map((name) => ({ mediaType: "image/png", path: join(files, name) }));
  log.append({ ...result, id: "c3", durationMs: 1, images });
  const other = await exportHtml(conversation, { describe });
  expect(seen.at(-1)).toBe(join(files, "a.png"));
  expect(other.match(/src="data:image\/png;base64,/g)).toHaveLength(1);
  expect(other).toContain("Image 2 is missing: it is not a PNG, JPEG, GIF or WebP image.");
});

test("Markdown has no character that controls a terminal or hides", async () => {
  const one = await agent({ look: `printf '{"output": "a\\\\u001b[2Jb"}'` });
  const call = { text: `${hidden}\r\nSo.`, calls: [{ id: "c1", name: "look", arguments: '{"what":"\\u202e"}' }] };
  const server = await modelServer(call, { text: `Well${hidden}.` });
  await one.say(await modelOf(anthropic, server.url), `go ${hidden}\r\nnow`);
  const text = exportMarkdown(one.conversation);
  expect(text).toContain("␛<U+009B><U+202E>");
  expect(showInvisible(text)).toBe(text);
  expect(text).toContain("> now\n");
});

test("shows what a tool printed without its colors, and control characters as signs", async () => {
  const { conversation } = await said();
  const json = JSON.stringify({
    tool_success: true,
    result: { output: "\u001b[31mred\u001b[0m\r\n\u001b[2J\u202eabc\u0007" },
  });
  conversation.log.append({ type: "tool_call", id: "c2", name: "bash", arguments: "{}" });
  conversation.log.append({ type: "tool_result", id: "c2", name: "bash", json, durationMs: 1 });
  expect(await exportHtml(conversation)).toContain("<pre>red\n␛[2J&lt;U+202E&gt;abc␇</pre>");
});

/** ESC, a C1 control, an override, a zero-width space, a filler, a soft hyphen, a tag. */
const hidden = "\u001b\u009b\u202e\u200b\u115f\u00ad\u{e0041}";
const shown = "␛&lt;U+009B&gt;&lt;U+202E&gt;&lt;U+200B&gt;&lt;U+115F&gt;&lt;U+00AD&gt;&lt;U+E0041&gt;";

test("shows invisible characters wherever they are in the session", async () => {
  const one = await agent({ look: "echo '{}'" });
  const { conversation } = one;
  const { log } = conversation;
  const entities = "&#x202e;&ZeroWidthSpace;&lrm;";
  const server = await modelServer({
    text: `${hidden} ${entities} \`${hidden}\`\n\n    ${hidden}\n\n[${hidden}](/${hidden})`,
  });
  await one.say(await modelOf(anthropic, server.url), hidden);
  const series = [
    { name: hidden, values: [1] },
    { name: "n", values: [1] },
  ];
  const visuals = [
    { type: "table", columns: [hidden], rows: [[hidden]], alt: hidden },
    { type: "diff", path: hidden, text: `+${hidden}`, alt: "A diff" },
    { type: "chart", kind: "bar", labels: [hidden], series, alt: "A chart" },
    { type: "chart", kind: "line", labels: [hidden, hidden], series, alt: "A chart" },
    { type: "refused", alt: hidden, reason: hidden },
  ];
  log.append({ type: "tool_call", id: "c2", name: hidden, arguments: "{}" });
  const json = JSON.stringify({ tool_success: true, result: { output: hidden } });
  log.append({ type: "tool_result", id: "c2", name: hidden, json, durationMs: 1, visuals } as never);
  const change = [{ sign: "+", number: 1, pieces: [{ text: hidden }] }] as const;
  for (const describe of [
    undefined,
    () => ({ title: hidden, details: hidden }),
    () => ({ title: "t", details: "", change }),
  ]) {
    const html = await exportHtml(conversation, describe && { describe });
    expect(html).toContain(`<th>${shown}</th>`);
    expect(html).toContain("&lt;U+202E&gt;&lt;U+200B&gt;&lt;U+200E&gt;");
    expect(html).not.toMatch(/(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u);
  }
});

test("draws a visual without the colors of its texts", async () => {
  const { conversation } = await said();
  const json = JSON.stringify({ tool_success: true, result: {} });
  const visuals = [{ type: "table", columns: ["\u001b[1mName\u001b[0m"], rows: [], alt: "A table" }];
  conversation.log.append({ type: "tool_call", id: "c2", name: "look", arguments: "{}" });
  conversation.log.append({ type: "tool_result", id: "c2", name: "look", json, durationMs: 1, visuals } as never);
  expect(await exportHtml(conversation)).toContain("<th>Name</th>");
});

test("Markdown, too, says how a turn and a call ended", async () => {
  const { conversation } = await said();
  const json = JSON.stringify({ tool_success: true, result: { output: "1", exit_code: 2 } });
  conversation.log.append({ type: "tool_call", id: "c2", name: "bash", arguments: "{}" });
  conversation.log.append({ type: "tool_result", id: "c2", name: "bash", json, durationMs: 1 });
  conversation.log.append({ type: "turn_end", reason: "failed", error: "Rate limited." });
  conversation.log.append({ type: "turn_end", reason: "interrupted" });
  const text = exportMarkdown(conversation);
  expect(text).toContain("```text\n1\n```\n\n*exit 2*\n");
  expect(text).toContain("*Rate limited.*\n\n*Interrupted.*\n");
});

test("says how a turn ended that has no answer, and what was thought", async () => {
  const { conversation } = await said();
  conversation.log.append({ type: "reasoning", text: " <b>why</b> \n" });
  conversation.log.append({ type: "reasoning", text: " " });
  conversation.log.append({ type: "turn_end", reason: "interrupted" });
  conversation.log.append({ type: "turn_end", reason: "failed", error: "Rate <limit>" });
  conversation.log.append({ type: "turn_end", reason: "constructor" as never });
  const html = await exportHtml(conversation);
  expect(html).toContain('<div class="thought">&lt;b&gt;why&lt;/b&gt;</div>');
  expect(html.match(/class="thought"/g)).toHaveLength(1);
  expect(html).toContain(
    '<p class="end">Interrupted.</p>\n<p class="end">Rate &lt;limit&gt;</p>\n<p class="end">constructor</p>',
  );
  expect(exportMarkdown(conversation)).not.toContain("why");
});
